// The page keeps a copy of a session's entries: a snapshot, and the changes that follow it.
//
// Texts of the agent become text nodes only (`el`). They are never parsed as HTML. Their URLs
// become links and images only through `link` and `attachment`.

const byId = (id) => document.getElementById(id);
const transcript = byId("transcript");

/** The selected session: its ID, its event source, and its entries with their elements by ID. */
let shown;

function el(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.flat(Infinity).filter(Boolean));
  return element;
}
const div = (className, ...children) => el("div", { className }, ...children);
const pre = (...children) => el("pre", {}, ...children);
const button = (textContent, onclick) => el("button", { type: "button", textContent, onclick });
const words = (name) => name.replaceAll("_", " ");

async function send(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: { "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  byId("problem").textContent = response.ok ? "" : await response.text();
  return response;
}

// Sessions

async function list() {
  const sessions = await (await fetch("/sessions")).json();
  const item = ({ id, title }) => {
    const a = el("a", { href: `#${id}`, textContent: title ?? "New session" });
    if (id === shown?.id) a.setAttribute("aria-current", "page");
    return el("li", {}, a);
  };
  byId("sessions").replaceChildren(...sessions.map(item));
}

function show(id) {
  shown?.events.close();
  shown = undefined;
  transcript.replaceChildren();
  byId("problem").textContent = "";
  document.querySelector("main").hidden = !id;
  list();
  if (!id) return;

  const path = `/sessions/${encodeURIComponent(id)}`;
  const events = new EventSource(`${path}/events`);
  shown = { id, path, events, nodes: new Map() };
  const follow = (name, apply) =>
    events.addEventListener(name, (event) => {
      const atEnd = transcript.scrollHeight - transcript.scrollTop - transcript.clientHeight < 40;
      apply(JSON.parse(event.data));
      if (atEnd) transcript.scrollTop = transcript.scrollHeight;
    });
  follow("snapshot", ({ session, entries }) => {
    changes.clear();
    changes.session({ session });
    for (const entry of entries) changes.insert({ entry });
  });
  follow("change", (change) => changes[change.change]?.(change));
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) byId("problem").textContent = "There is no such session.";
  };
}

const selected = () => decodeURIComponent(location.hash.slice(1));
addEventListener("hashchange", () => show(selected()));

byId("new").onclick = async () => {
  const response = await send("POST", "/sessions");
  if (response.ok) location.hash = (await response.json()).id;
};
byId("stop").onclick = () => send("DELETE", shown.path);
byId("interrupt").onclick = () => send("POST", `${shown.path}/interrupt`);
const respond = (id, response) => send("POST", `${shown.path}/requests/${encodeURIComponent(id)}`, response);

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

// Changes. A node has the entry, its element with `body`, and the list of a sub-agent's entries.

const place = (parent, element, before) =>
  (shown.nodes.get(parent)?.children ?? transcript).insertBefore(element, shown.nodes.get(before)?.element ?? null);

const changes = {
  insert({ entry, before }) {
    const node = { entry, element: el("article", { className: entry.type }), children: div("children") };
    shown.nodes.set(entry.id, node);
    paint(node);
    place(entry.parent, node.element, before);
    if (entry.type === "prompt") list();
  },
  append({ id, member, text }) {
    const node = shown.nodes.get(id);
    if (!node) return;
    node.entry[member] ??= { text: "" };
    node.entry[member].text += text;
    if (node.grows) node.grows.append(text);
    else paint(node);
  },
  set({ id, set }) {
    const node = shown.nodes.get(id);
    if (!node) return;
    Object.assign(node.entry, set);
    paint(node);
  },
  move({ id, before }) {
    const node = shown.nodes.get(id);
    if (node) place(node.entry.parent, node.element, before);
  },
  remove({ id }) {
    shown.nodes.get(id)?.element.remove();
    // With the entries of the sub-agent that it was.
    for (const [id, { element }] of shown.nodes) if (!transcript.contains(element)) shown.nodes.delete(id);
  },
  clear() {
    shown.nodes.clear();
    transcript.replaceChildren();
    byId("cost").textContent = "";
  },
  session({ session }) {
    byId("status").textContent = words(session.activity);
    byId("status").title = [session.model, session.permission_mode, session.cwd].filter(Boolean).join(", ");
    byId("interrupt").disabled = !["running", "requires_action"].includes(session.activity);
    if (session.title) list();
  },
};

function paint(node) {
  const { element, entry, children } = node;
  const open = [...element.querySelectorAll(":scope > details")].map((it) => it.open);
  node.grows = undefined;
  const painted = painters[entry.type]?.(entry, node);
  element.replaceChildren(...[painted].flat(Infinity).filter(Boolean), children);
  element.querySelectorAll(":scope > details").forEach((it, at) => (it.open = open[at] ?? it.open));
}

const painters = {
  prompt({ id, text, attachments = [], priority, delivery }) {
    const state = el("small", {}, [priority, delivery].filter(Boolean).join(", "));
    const withdraw = () => send("DELETE", `${shown.path}/messages/${encodeURIComponent(id)}`);
    if (["sent", "queued"].includes(delivery)) state.append(button("Withdraw", withdraw));
    return [div("", longText(text)), attachments.map(attachment), state];
  },
  text({ text }, node) {
    return growing("div", text, node);
  },
  thought({ text, complete }, node) {
    const summary = el("summary", {}, complete ? "Thought" : "Thinking");
    return el("details", {}, summary, painters.text({ text }, node));
  },
  tool_call(entry, node) {
    const { tool, title, kind, status, locations = [], input, content = [], failure, background } = entry;
    const summary = el("summary", {}, badge(status), el("b", { title: tool }, title), el("small", {}, words(kind)));
    return el(
      "details",
      { open: true },
      summary,
      locations.length > 1 && div("paths", locations.map(location_).join(", ")),
      input && growing("pre", input, node),
      content.map(contents),
      failed(failure),
      inBackground(background),
    );
  },
  plan({ text, items = [], status, failure }) {
    return [div("", badge(status), el("b", {}, "Plan")), text && div("", longText(text)), planItems(items), failed(failure)];
  },
  question(entry) {
    const { request_id, server, questions, form, url, status, failure } = entry;
    const title = server ? `${server} asks` : "The agent asks";
    if (!request_id) {
      const answers = questions.map(({ question, answer }) => div("", question, el("b", {}, answer ? ` ${answer}` : "")));
      return [div("", badge(status), el("b", {}, title)), answers, failed(failure)];
    }
    const fields = server ? [questions.map((it) => div("", it.question)), formFields(form)] : questions.map(choices);
    const element = el("form", {}, el("b", {}, title), fields, url && link(url));
    element.append(el("button", { className: "primary" }, "Answer"));
    element.append(button("Dismiss", () => respond(request_id, { decision: "deny" })));
    element.onsubmit = (event) => {
      event.preventDefault();
      const response = server ? { fields: submitted(element) } : { answers: questions.map((_, at) => answer(element, at)) };
      respond(request_id, { decision: server ? "submit" : "answer", ...response });
    };
    return element;
  },
  approval({ request_id, title, reason, content, always }) {
    const feedback = el("input", { placeholder: "Deny, and do this instead" });
    return el(
      "section",
      { role: "group", ariaLabel: "Permission request" },
      el("b", {}, title),
      reason && div("", reason),
      content.map(contents),
      div(
        "buttons",
        button("Allow", () => respond(request_id, { decision: "allow" })),
        always.length > 0 && button(`Always: ${always.join("; ")}`, () => respond(request_id, { decision: "always" })),
        button("Deny", () => respond(request_id, { decision: "deny", feedback: feedback.value })),
        feedback,
      ),
    );
  },
  sub_agent({ title, agent, prompt, status, result, failure, background, usage }) {
    return [
      div("", badge(status), el("b", {}, title), el("small", {}, agent ?? "sub-agent")),
      usage && el("small", {}, `${usage.tokens} tokens, ${usage.tool_calls} tool calls`),
      el("details", {}, el("summary", {}, "Prompt"), longText(prompt)),
      result && el("details", {}, el("summary", {}, "Result"), longText(result)),
      failed(failure),
      inBackground(background),
    ];
  },
  notice({ title, detail }) {
    return detail ? el("details", {}, el("summary", {}, title), pre(longText(detail))) : title;
  },
  turn_end({ outcome, message, session_cost_usd, duration_ms, tokens }) {
    if (session_cost_usd) byId("cost").textContent = `${Number(session_cost_usd).toFixed(4)} USD`;
    const read = tokens && tokens.input + tokens.cache_write + tokens.cache_read;
    const spent = tokens ? `${read} tokens in, ${tokens.output} out` : "";
    return `Turn ${words(outcome)}${message ? `: ${message}` : ""} (${((duration_ms ?? 0) / 1000).toFixed(1)} s, ${spent})`;
  },
};

// Parts of entries

const badge = (status) => el("span", { className: `badge ${status}` }, words(status));
const failed = (it) => it && div("failure", `${words(it.reason)}: ${it.message}`);
const inBackground = (it) => it && div("note", it.is_running ? "Runs in the background" : it.summary ?? "Has ended");
const location_ = ({ path, line }) => (line ? `${path}:${line}` : path);
const omitted = (what) => el("i", {}, `… ${what} omitted …`);

/** Returns the text with a note where a part was omitted. The position counts bytes of UTF-8. */
function longText({ text, omitted: part }) {
  if (!part) return [text];
  const bytes = new TextEncoder().encode(text);
  const decode = (from, to) => new TextDecoder().decode(bytes.subarray(from, to));
  return [decode(0, part.at), omitted(`${part.bytes} bytes`), decode(part.at)];
}

/** Returns an element to which later pieces of the text are appended. */
function growing(tag, text, node) {
  const element = el(tag, {}, longText(text));
  if (!text.omitted) node.grows = element;
  return element;
}

/** Returns a link if the URL is one of the web, and otherwise its text. */
function link(url, title) {
  const isWeb = URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol);
  if (!isWeb) return el("span", {}, title ? `${title} (${url})` : url);
  return el("a", { href: url, title: url, target: "_blank", rel: "noopener noreferrer" }, title ?? url);
}

/** Returns an image if its bytes are here, and otherwise the name. Never loads from a URL. */
function attachment({ media_type = "", name, url, data, size }) {
  if (data && /^image\/[\w.+-]+$/.test(media_type) && /^[A-Za-z0-9+/]+=*$/.test(data)) {
    return el("img", { src: `data:${media_type};base64,${data}`, alt: name ?? "Image" });
  }
  const about = [name ?? media_type, size && `${size} bytes`].filter(Boolean).join(", ");
  return div("note", "Attachment: ", about, url && [" ", link(url)]);
}

const planItems = (items) =>
  items.length > 0 && el("ul", {}, items.map((it) => el("li", { className: it.status }, it.content)));

function diff({ path, is_new, applied, hunks, omitted_lines }) {
  const kinds = { "+": "added", "-": "removed" };
  const line = (text) => div(kinds[text[0]] ?? "", text);
  const head = (it) => it.old_start !== undefined && div("hunk", `@@ -${it.old_start} +${it.new_start} @@`);
  return [
    div("paths", path, is_new ? " (new)" : "", applied ? "" : " (proposed)"),
    el("pre", { className: "diff" }, hunks.map((it) => [head(it) || "", it.lines.map(line)])),
    omitted_lines && omitted(`${omitted_lines} lines`),
  ];
}

const contents = (content) => [contentPainters[content.type]?.(content)].flat(Infinity).filter(Boolean);
const contentPainters = {
  text: (it) => div("", longText(it)),
  json: (it) => pre(longText(it)),
  lines: (it) => [it.path && div("paths", location_({ path: it.path, line: it.first_line })), pre(longText(it))],
  diff,
  command: ({ command, output, exit_code, output_file }) => [
    pre("$ ", longText(command)),
    output && pre(longText(output)),
    exit_code !== undefined && div("note", `exit code ${exit_code}`),
    output_file && div("note", `whole output in ${output_file}`),
  ],
  search: ({ hits, omitted: more }) => [
    pre(hits.map((it) => div("", location_(it), it.text === undefined ? "" : `: ${it.text}`))),
    more && omitted(`${more} hits`),
  ],
  links: ({ links }) => el("ul", {}, links.map((it) => el("li", {}, link(it.url, it.title)))),
  attachment,
  plan: ({ items }) => planItems(items),
};

// Questions of the model: choices, and an input for another answer

function choices({ question, choices = [], multiple }, at) {
  const choice = ({ label, description }) =>
    el(
      "label",
      {},
      el("input", { type: multiple ? "checkbox" : "radio", name: `choice${at}`, value: label }),
      ` ${label}${description ? `: ${description}` : ""}`,
    );
  const other = el("input", { name: `other${at}`, placeholder: "In your own words" });
  return el("fieldset", {}, el("legend", {}, question), choices.map(choice), other);
}

function answer(form, at) {
  const data = new FormData(form);
  return [...data.getAll(`choice${at}`), data.get(`other${at}`)].filter(Boolean).join(", ");
}

// Forms of MCP servers, from their JSON Schema: texts, numbers, choices and switches

function formFields(form) {
  const { properties = {}, required = [] } = form ? JSON.parse(form) : {};
  return Object.entries(properties).map(([name, { type, title, enum: values }]) => {
    const types = { boolean: "checkbox", number: "number", integer: "number" };
    const input = values
      ? el("select", {}, values.map((value) => el("option", {}, String(value))))
      : el("input", { type: types[type] ?? "text", step: "any", required: required.includes(name) && type !== "boolean" });
    input.name = name;
    return el("label", {}, `${title ?? name} `, input);
  });
}

function submitted(form) {
  const value = (it) => (it.type === "checkbox" ? it.checked : it.type === "number" ? it.valueAsNumber : it.value);
  const given = [...form.elements].filter((it) => it.name && (it.type === "checkbox" || it.value !== ""));
  return Object.fromEntries(given.map((it) => [it.name, value(it)]));
}

show(selected());
