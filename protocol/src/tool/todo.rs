//! What the model has to do: the list that it keeps, and the tasks that took
//! the list's place.

use crate::json::Json;
use crate::open::{object, open_enum};

object! {
    /// The whole list, as it is to be.
    pub struct TodoWriteInput {
        /// The list.
        pub todos: Vec<TodoItem>,
    }
}

object! {
    /// Something to do.
    pub struct TodoItem {
        /// What.
        pub content: String,
        /// How it stands.
        pub status: TodoStatus,
        /// What to show while it is being done. Older agents do not say.
        pub active_form: Option<String> = "activeForm",
    }
}

open_enum! {
    /// How something to do stands.
    pub enum TodoStatus {
        /// It has not begun.
        Pending = "pending",
        /// It is being done.
        InProgress = "in_progress",
        /// It is done.
        Completed = "completed",
        /// It is to go from the list. Only tasks can.
        Deleted = "deleted",
    }
}

object! {
    /// The list before and after.
    pub struct TodoWriteOutput {
        /// The list as it was.
        pub old_todos: Option<Vec<TodoItem>> = "oldTodos",
        /// The list as it is.
        pub new_todos: Vec<TodoItem> = "newTodos",
    }
}

object! {
    /// A task to note.
    pub struct TaskCreateInput {
        /// Its title.
        pub subject: String,
        /// What is to be done.
        pub description: String,
        /// What to show while it is being done.
        pub active_form: Option<String> = "activeForm",
        /// Anything else, an object.
        pub metadata: Option<Json>,
    }
}

object! {
    /// The task was noted.
    pub struct TaskCreateOutput {
        /// The task.
        pub task: CreatedTask,
    }
}

object! {
    /// A task that was noted.
    pub struct CreatedTask {
        /// Its id.
        pub id: String,
        /// Its title.
        pub subject: String,
        /// What is to be done. Older agents do not say.
        pub description: Option<String>,
    }
}

object! {
    /// A task to look at.
    pub struct TaskGetInput {
        /// The task.
        pub task_id: String = "taskId",
    }
}

object! {
    /// The task that was looked at.
    #[derive(Default)]
    pub struct TaskGetOutput {
        /// The task; `null`, when there is none.
        pub task: Option<TaskDetails>,
    }
}

object! {
    /// All of a task.
    pub struct TaskDetails {
        /// Its id.
        pub id: String,
        /// Its title.
        pub subject: String,
        /// What is to be done.
        pub description: Option<String>,
        /// How it stands.
        pub status: TodoStatus,
        /// Tasks that wait for it.
        pub blocks: Option<Vec<String>>,
        /// Tasks that it waits for.
        pub blocked_by: Option<Vec<String>> = "blockedBy",
    }
}

object! {
    /// What is to change about a task.
    pub struct TaskUpdateInput {
        /// The task.
        pub task_id: String = "taskId",
        /// Its title.
        pub subject: Option<String>,
        /// What is to be done.
        pub description: Option<String>,
        /// What to show while it is being done.
        pub active_form: Option<String> = "activeForm",
        /// How it stands.
        pub status: Option<TodoStatus>,
        /// More tasks that wait for it.
        pub add_blocks: Option<Vec<String>> = "addBlocks",
        /// More tasks that it waits for.
        pub add_blocked_by: Option<Vec<String>> = "addBlockedBy",
        /// Whose it is.
        pub owner: Option<String>,
        /// Anything else to add, an object; `null` takes a member away.
        pub metadata: Option<Json>,
    }
}

object! {
    /// What changed about a task.
    pub struct TaskUpdateOutput {
        /// Whether something did.
        pub success: bool,
        /// The task.
        pub task_id: Option<String> = "taskId",
        /// What changed, by name.
        pub updated_fields: Option<Vec<String>> = "updatedFields",
        /// Why nothing did.
        pub error: Option<String>,
        /// How it stood and stands.
        pub status_change: Option<TaskStatusChange> = "statusChange",
    }
}

object! {
    /// How a task stood and stands.
    pub struct TaskStatusChange {
        /// How it stood.
        pub from: TodoStatus,
        /// How it stands.
        pub to: TodoStatus,
    }
}

object! {
    /// The tasks that there are.
    pub struct TaskListOutput {
        /// The tasks.
        pub tasks: Vec<ListedTask>,
    }
}

object! {
    /// A task in the list.
    pub struct ListedTask {
        /// Its id.
        pub id: String,
        /// Its title.
        pub subject: String,
        /// How it stands.
        pub status: TodoStatus,
        /// Whose it is.
        pub owner: Option<String>,
        /// Tasks that it waits for.
        pub blocked_by: Option<Vec<String>> = "blockedBy",
    }
}
