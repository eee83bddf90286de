use agentwire::Options;

pub async fn run(_: Options) -> Result<(), agentwire::Error> {
    let options = Options::new()
        .model("haiku")
        .tools(["Read", "Grep"])
        .setting_sources([] as [&str; 0]);
    for argument in options.command_line()?.arguments {
        println!("{argument}");
    }
    Ok(())
}
