//! To-do tools: the to-do list, and the tasks that replaced it.

use crate::json::Json;
use crate::open::{object, open_enum};

object! {
    /// The input of `TodoWrite`, which is the new list.
    pub struct TodoWriteInput {
        /// The list.
        pub todos: Vec<TodoItem>,
    }
}

object! {
    /// A to-do item.
    pub struct TodoItem {
        /// The text of the item.
        pub content: String,
        /// The status.
        pub status: TodoStatus,
        /// The text to show while the item is in progress. Older agents omit
        /// it.
        pub active_form: Option<String> = "activeForm",
    }
}

open_enum! {
    /// The status of a to-do item or task.
    pub enum TodoStatus {
        /// The item is not started.
        Pending = "pending",
        /// The item is in progress.
        InProgress = "in_progress",
        /// The item is completed.
        Completed = "completed",
        /// The task is to be deleted. Only tasks have this status.
        Deleted = "deleted",
    }
}

object! {
    /// The output of `TodoWrite`, which is the list before and after.
    pub struct TodoWriteOutput {
        /// The previous list.
        pub old_todos: Option<Vec<TodoItem>> = "oldTodos",
        /// The new list.
        pub new_todos: Vec<TodoItem> = "newTodos",
    }
}

object! {
    /// The input of `TaskCreate`.
    pub struct TaskCreateInput {
        /// The title.
        pub subject: String,
        /// The description.
        pub description: String,
        /// The text to show while the task is in progress.
        pub active_form: Option<String> = "activeForm",
        /// Additional data, an object.
        pub metadata: Option<Json>,
    }
}

object! {
    /// The output of `TaskCreate`.
    pub struct TaskCreateOutput {
        /// The task.
        pub task: CreatedTask,
    }
}

object! {
    /// A created task.
    pub struct CreatedTask {
        /// The task ID.
        pub id: String,
        /// The title.
        pub subject: String,
        /// The description. Older agents omit it.
        pub description: Option<String>,
    }
}

object! {
    /// The input of `TaskGet`.
    pub struct TaskGetInput {
        /// The task ID.
        pub task_id: String = "taskId",
    }
}

object! {
    /// The output of `TaskGet`.
    #[derive(Default)]
    pub struct TaskGetOutput {
        /// The task. `None` if it does not exist.
        pub task: Option<TaskDetails>,
    }
}

object! {
    /// The details of a task.
    pub struct TaskDetails {
        /// The task ID.
        pub id: String,
        /// The title.
        pub subject: String,
        /// The description.
        pub description: Option<String>,
        /// The status.
        pub status: TodoStatus,
        /// The IDs of the tasks that this task blocks.
        pub blocks: Option<Vec<String>>,
        /// The IDs of the tasks that block this task.
        pub blocked_by: Option<Vec<String>> = "blockedBy",
    }
}

object! {
    /// The input of `TaskUpdate`. Absent members remain unchanged.
    pub struct TaskUpdateInput {
        /// The task ID.
        pub task_id: String = "taskId",
        /// The new title.
        pub subject: Option<String>,
        /// The new description.
        pub description: Option<String>,
        /// The new text to show while the task is in progress.
        pub active_form: Option<String> = "activeForm",
        /// The new status.
        pub status: Option<TodoStatus>,
        /// The IDs of further tasks that this task blocks.
        pub add_blocks: Option<Vec<String>> = "addBlocks",
        /// The IDs of further tasks that block this task.
        pub add_blocked_by: Option<Vec<String>> = "addBlockedBy",
        /// The new owner.
        pub owner: Option<String>,
        /// Additional data to merge, an object. `null` removes a member.
        pub metadata: Option<Json>,
    }
}

object! {
    /// The output of `TaskUpdate`.
    pub struct TaskUpdateOutput {
        /// Whether the task was changed.
        pub success: bool,
        /// The task ID.
        pub task_id: Option<String> = "taskId",
        /// The names of the changed fields.
        pub updated_fields: Option<Vec<String>> = "updatedFields",
        /// The reason for a failure.
        pub error: Option<String>,
        /// The change of the status.
        pub status_change: Option<TaskStatusChange> = "statusChange",
    }
}

object! {
    /// A change of a task's status.
    pub struct TaskStatusChange {
        /// The previous status.
        pub from: TodoStatus,
        /// The new status.
        pub to: TodoStatus,
    }
}

object! {
    /// The output of `TaskList`.
    pub struct TaskListOutput {
        /// The tasks.
        pub tasks: Vec<ListedTask>,
    }
}

object! {
    /// A task in a list.
    pub struct ListedTask {
        /// The task ID.
        pub id: String,
        /// The title.
        pub subject: String,
        /// The status.
        pub status: TodoStatus,
        /// The owner.
        pub owner: Option<String>,
        /// The IDs of the tasks that block this task.
        pub blocked_by: Option<Vec<String>> = "blockedBy",
    }
}
