/**
 * Recognises the settings of an MCP client in a text that a person pasted: `{"mcpServers": …}`, VS Code's
 * `{"servers": …}`, or one entry as READMEs print it. Pure; parses nothing.
 */

const NAMED = /"(?:mcpServers|mcp_servers|servers|mcp)"\s*:\s*\{/
const ENTRY =
  /^\s*\{?\s*"[^"\n]{1,200}"\s*:\s*\{\s*"(?:command|args|env|url|serverUrl|httpUrl|type)"\s*:/
/** A fragment without the outer braces: `"mcpServers": {…}`, `"github": {…}`. */
const FRAGMENT = /^\s*"[^"\n]{1,200}"\s*:\s*\{/

export function isClientSettings(text: string): boolean {
  return /^\s*[{"]/.test(text) && (NAMED.test(text) || ENTRY.test(text))
}

/** The whole text of the settings: a fragment gets its braces. */
export function wholeSettings(text: string): string {
  return FRAGMENT.test(text) ? `{${text.trim().replace(/,$/, '')}}` : text
}

/** Whether a text that begins like JSON still lacks closing brackets: more lines belong to it. */
export function isOpenJson(text: string): boolean {
  if (!/^\s*(?:\{|"[^"\n]*"\s*:\s*\{)/.test(text)) return false
  let depth = 0
  for (const [piece] of text.matchAll(/"(?:[^"\\\n]|\\.)*"|[{}[\]]/g)) {
    if (piece === '{' || piece === '[') depth += 1
    else if (piece === '}' || piece === ']') depth -= 1
  }
  return depth > 0
}
