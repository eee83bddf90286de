//! Reduces a session while the agents still differ in the same way.

use crate::plan::{Action, Episode, Plan, Stage};

/// Returns all plans that lack one part of this plan.
pub(crate) fn smaller(plan: &Plan) -> Vec<Plan> {
    let mut all = vec![];
    let mut add = |change: &dyn Fn(&mut Plan)| {
        let mut changed = plan.clone();
        change(&mut changed);
        all.push(changed);
    };
    for place in 0..plan.episodes.len() {
        add(&|it| drop(it.episodes.remove(place)));
    }
    for place in 0..plan.hooks.len() {
        add(&|it| drop(it.hooks.remove(place)));
    }
    if plan.replays_prompts {
        add(&|it| it.replays_prompts = false);
    }
    if plan.is_structured {
        add(&|it| it.is_structured = false);
    }
    if plan.has_server {
        add(&|it| it.has_server = false);
    }
    for (place, episode) in plan.episodes.iter().enumerate() {
        for smaller in episodes_without_a_part(episode) {
            add(&|it| it.episodes[place] = smaller.clone());
        }
    }
    all
}

fn episodes_without_a_part(episode: &Episode) -> Vec<Episode> {
    let mut all = vec![];
    let mut of_turn = episode.clone();
    match &mut of_turn {
        Episode::Turn(turn) | Episode::Mode(_, turn) => {
            let stages = turn.stages.clone();
            let mut put = |stages: Vec<Stage>| {
                let mut changed = episode.clone();
                if let Episode::Turn(turn) | Episode::Mode(_, turn) = &mut changed {
                    turn.stages = stages;
                }
                all.push(changed);
            };
            for place in 0..stages.len() {
                put(without_one_item(&stages, place));
                for stage in stages_without_a_part(&stages[place]) {
                    let mut changed = stages.clone();
                    changed[place] = stage;
                    put(changed);
                }
            }
        }
        Episode::Shell(actions) | Episode::Subagent { actions, .. } => {
            let actions = actions.clone();
            for place in 0..actions.len() {
                let mut changed = episode.clone();
                if let Episode::Shell(it) | Episode::Subagent { actions: it, .. } = &mut changed {
                    *it = without_one_item(&actions, place);
                }
                all.push(changed);
            }
        }
        Episode::Command(_) | Episode::Idle(_) => {}
    }
    all
}

fn stages_without_a_part(stage: &Stage) -> Vec<Stage> {
    let less = |actions: &[Action]| -> Vec<Vec<Action>> {
        (0..actions.len())
            .map(|place| without_one_item(actions, place))
            .collect()
    };
    match stage {
        Stage::Gate(actions) => less(actions).into_iter().map(Stage::Gate).collect(),
        Stage::Tool {
            tool,
            denied,
            while_pending,
            gate,
        } => {
            let with = |while_pending, gate| Stage::Tool {
                tool: *tool,
                denied: *denied,
                while_pending,
                gate,
            };
            let mut all = vec![];
            if let Some(actions) = while_pending {
                all.push(with(None, gate.clone()));
                all.extend(
                    less(actions)
                        .into_iter()
                        .map(|it| with(Some(it), gate.clone())),
                );
            }
            if let Some(actions) = gate {
                all.push(with(while_pending.clone(), None));
                all.extend(
                    less(actions)
                        .into_iter()
                        .map(|it| with(while_pending.clone(), Some(it))),
                );
            }
            all
        }
        Stage::Thinking | Stage::Text | Stage::Two { .. } => vec![],
    }
}

fn without_one_item<T: Clone>(all: &[T], place: usize) -> Vec<T> {
    let mut less = all.to_vec();
    less.remove(place);
    less
}
