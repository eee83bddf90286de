use agentwire::{Error, Options, prompt};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

pub async fn run(options: Options) -> Result<(), Error> {
    let at_once = Arc::new(Semaphore::new(4));
    let mut tasks = JoinSet::new();
    for number in 1..=8 {
        let (options, at_once) = (options.clone(), Arc::clone(&at_once));
        tasks.spawn(async move {
            let _permit = at_once.acquire_owned().await;
            let result = prompt(format!("Rate review {number}."), options).await?;
            Ok::<_, Error>(result.error_for_result()?)
        });
    }
    let results = tasks.join_all().await;
    let good = results.iter().filter(|it| it.is_ok()).count();
    println!("{good} of {}", results.len());
    Ok(())
}
