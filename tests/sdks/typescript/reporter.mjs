// One line of JSON for each test, by the name of its scenario.

export default async function* outcomes(events) {
  for await (const { type, data } of events) {
    const outcome = { "test:pass": "ok", "test:fail": "failed" }[type];
    // Files are reported as well, by their paths, and what was not asked for.
    if (outcome && !data.name.includes(".") && data.skip === undefined) {
      yield `${JSON.stringify({ scenario: data.name, outcome })}\n`;
    }
  }
}
