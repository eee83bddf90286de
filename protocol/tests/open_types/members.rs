//! Property tests of unknown members in any number.

use agentwire_protocol::{Json, Members};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Set(u8, u32),
    Push(u8, u32),
    Remove(u8),
}

fn step(keys: u8) -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..keys, any::<u32>()).prop_map(|(key, value)| Step::Set(key, value)),
        1 => (0..keys, any::<u32>()).prop_map(|(key, value)| Step::Push(key, value)),
        1 => (0..keys).prop_map(Step::Remove),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // Few members with few keys, and more members than are searched linearly.
    let sizes = prop_oneof![Just((6, 20)), Just((200, 400))];
    sizes.prop_flat_map(|(keys, steps)| prop::collection::vec(step(keys), 0..steps))
}

proptest! {
    #[test]
    fn members_are_a_list_in_which_the_last_of_a_key_counts(steps in steps()) {
        let mut members = Members::default();
        let mut list: Vec<(String, String)> = vec![];
        for step in steps {
            match step {
                Step::Set(key, value) => {
                    let (key, value) = (format!("k{key}"), value.to_string());
                    members.set(key.clone(), serde_json::from_str::<Json>(&value).unwrap());
                    match list.iter_mut().rfind(|(it, _)| *it == key) {
                        Some((_, old)) => *old = value,
                        None => list.push((key, value)),
                    }
                }
                Step::Push(key, value) => {
                    let (key, value) = (format!("k{key}"), value.to_string());
                    members.push(key.clone(), serde_json::from_str(&value).unwrap());
                    list.push((key, value));
                }
                Step::Remove(key) => {
                    let key = format!("k{key}");
                    let last = list.iter().rfind(|(it, _)| *it == key);
                    let last = last.map(|(_, value)| value.clone());
                    list.retain(|(it, _)| *it != key);
                    prop_assert_eq!(members.remove(&key).map(|it| it.get().to_owned()), last);
                }
            }
            let last = list.last().map(|(key, _)| key.clone()).unwrap_or_default();
            let of_last = list.last().map(|(_, value)| value.as_str());
            prop_assert_eq!(members.get(&last).map(Json::get), of_last);
            prop_assert_eq!(members.len(), list.len());
        }
        let all: Vec<_> = members.iter().map(|(k, v)| (k.to_owned(), v.get().to_owned())).collect();
        prop_assert_eq!(&all, &list);
        for (key, _) in &list {
            let last = list.iter().rfind(|(it, _)| it == key).unwrap();
            prop_assert_eq!(members.get(key).unwrap().get(), &last.1);
        }
        let anew: Members = members.iter().fold(Members::default(), |mut anew, (key, value)| {
            anew.push(key.to_owned(), value.clone());
            anew
        });
        prop_assert_eq!(anew, members);
    }
}
