use agentwire::{Error, Options, prompt};

pub async fn run(options: Options) -> Result<(), Error> {
    let options = options.on_question(|ask| async move {
        let mut answers = ask.answers();
        for question in ask.questions() {
            println!("{}", question.question);
            answers = answers.choose(&question.question, ["Tea"]);
        }
        answers
    });
    println!("{}", prompt("Make me a drink.", options).await?.text());
    Ok(())
}
