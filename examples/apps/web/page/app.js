// The page is painted from the history of a session: entries that the server
// sends as events, from the first one on, also after a reload.
//
// Text from the agent becomes text nodes only (`el`, `append`). It is never parsed
// as HTML, so there is nothing to escape.

const byId = (id) => document.getElementById(id);
const transcript = byId("transcript");

/** What is shown of the selected session. */
let shown;

function el(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

async function send(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: { "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) say(`${method} ${path}: ${await response.text()}`);
  return response;
}

// Sessions

async function list() {
  const sessions = await (await fetch("/sessions")).json();
  const link = ({ id, title }) => {
    const a = el("a", { href: `#${id}`, textContent: title ?? `Session ${id}` });
    if (id === shown?.id) a.setAttribute("aria-current", "page");
    return el("li", {}, a);
  };
  byId("sessions").replaceChildren(...sessions.map(link));
}

function show(id) {
  shown?.events.close();
  transcript.replaceChildren();
  byId("requests").replaceChildren();
  document.querySelector("main").hidden = !id;
  shown = undefined;
  if (!id) return list();

  const events = new EventSource(`/sessions/${id}/events`);
  shown = { id, events, path: `/sessions/${id}`, prompts: new Map(), tools: new Map(), text: null };
  setStatus("idle");
  setCost(null);
  events.onmessage = (event) => {
    const atEnd = transcript.scrollHeight - transcript.scrollTop - transcript.clientHeight < 40;
    const entry = JSON.parse(event.data);
    painters[entry.type]?.(entry);
    if (atEnd) transcript.scrollTop = transcript.scrollHeight;
  };
  list();
}

const selected = () => Number(location.hash.slice(1)) || null;
addEventListener("hashchange", () => show(selected()));

byId("new").onclick = async () => {
  const response = await send("POST", "/sessions");
  if (response.ok) location.hash = (await response.json()).id;
};
byId("end").onclick = async () => {
  await send("DELETE", shown.path);
  location.hash = "";
};
byId("interrupt").onclick = () => send("POST", `${shown.path}/interrupt`);

// The composer

byId("composer").onsubmit = (event) => {
  event.preventDefault();
  const text = byId("prompt").value;
  send("POST", `${shown.path}/messages`, { text, priority: byId("priority").value });
  byId("prompt").value = "";
};
byId("prompt").onkeydown = (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    byId("composer").requestSubmit();
  }
};

// The history

function say(text, className = "notice") {
  transcript.append(el("div", { className, textContent: text }));
}

function setStatus(status) {
  byId("status").textContent = status;
  byId("interrupt").disabled = status !== "running";
}

function setCost(usd) {
  byId("cost").textContent = usd === null ? "" : `${usd.toFixed(4)} USD`;
}

const painters = {
  prompt({ id, text, priority }) {
    const status = el("small", { textContent: priority });
    shown.prompts.set(id, { status, priority });
    transcript.append(el("div", { className: "prompt" }, text, status));
    shown.text = null;
    if (shown.prompts.size === 1) list();
  },

  delivery({ id, status }) {
    const prompt = shown.prompts.get(id);
    prompt.status.textContent = `${prompt.priority}, ${status}`;
    if (["waiting", "written", "queued"].includes(status)) {
      const withdraw = () => send("DELETE", `${shown.path}/messages/${id}`);
      prompt.status.append(el("button", { textContent: "Withdraw", onclick: withdraw }));
    }
  },

  text({ text }) {
    shown.text ??= transcript.appendChild(el("div", { className: "text" }));
    shown.text.append(text);
  },

  text_end() {
    shown.text = null;
  },

  tool({ id, name, input }) {
    // A question has a dialog of its own.
    const call = name === "AskUserQuestion" ? "Question" : `${name} ${input}`;
    const tool = el("div", { className: "tool" }, call);
    shown.tools.set(id, transcript.appendChild(tool));
    shown.text = null;
  },

  tool_result({ id, text, is_error }) {
    const result = el("div", { className: is_error ? "error" : "", textContent: text });
    (shown.tools.get(id) ?? transcript).append(result);
  },

  permission({ id, title, detail, reason, always }) {
    const button = (textContent, decision) =>
      el("button", { textContent, onclick: () => respond(id, { decision }) });
    const buttons = el("div", { className: "buttons" }, button("Allow", "allow"));
    if (always.length) buttons.append(button(`Always: ${always.join("; ")}`, "always"));
    buttons.append(button("Deny", "deny"));
    dialog(id, title, el("pre", { textContent: detail }), reason ?? "", buttons);
  },

  question({ id, questions }) {
    const form = el("form", {}, ...questions.map(fieldset));
    form.append(el("button", { className: "primary", textContent: "Answer" }));
    form.onsubmit = (event) => {
      event.preventDefault();
      const data = new FormData(form);
      const given = questions.map(({ question }, at) => [
        question,
        [...data.getAll(`choice${at}`), data.get(`other${at}`)].filter(Boolean).join(", "),
      ]);
      const answers = Object.fromEntries(given.filter(([, answer]) => answer));
      respond(id, { decision: "answer", answers });
    };
    const skip = () => respond(id, { decision: "deny" });
    form.append(" ", el("button", { type: "button", textContent: "Dismiss", onclick: skip }));
    dialog(id, "The agent asks", form);
  },

  settled({ id, how }) {
    const settled = document.getElementById(`request-${id}`);
    if (settled) say(`${settled.querySelector("h2").textContent} ${how}`);
    settled?.remove();
  },

  turn_started() {
    setStatus("running");
  },

  turn_ended({ outcome, error, cost_usd }) {
    setStatus("idle");
    shown.text = null;
    if (cost_usd !== null) setCost(cost_usd);
    say(error ? `Turn ${outcome}: ${error}` : `Turn ${outcome}`, "turn");
  },

  notice({ text }) {
    say(text);
  },

  ended({ error }) {
    setStatus("ended");
    byId("requests").replaceChildren();
    say(error ?? "The session has ended.");
  },
};

// Dialogs

function dialog(id, title, ...content) {
  const heading = el("h2", { textContent: title });
  const section = el("section", { id: `request-${id}`, className: "dialog" }, heading, ...content);
  section.setAttribute("role", "dialog");
  byId("requests").append(section);
}

function fieldset({ question, options, multiSelect }, at) {
  const choice = ({ label, description }) =>
    el(
      "label",
      {},
      el("input", { type: multiSelect ? "checkbox" : "radio", name: `choice${at}`, value: label }),
      ` ${label}: ${description}`,
    );
  const other = el("input", { name: `other${at}`, placeholder: "In your own words" });
  return el("fieldset", {}, el("legend", { textContent: question }), ...options.map(choice), other);
}

const respond = (id, response) => send("POST", `${shown.path}/requests/${id}`, response);

show(selected());
