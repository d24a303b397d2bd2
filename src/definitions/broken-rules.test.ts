import assert from 'node:assert/strict'
import test from 'node:test'
import { readDefinition } from './read-definition.ts'

/** `line: message` of every problem. */
function problemsOf(text: string): string {
  const reading = readDefinition('/mcp/x.toml', text, '/home/me')
  assert.ok(reading.kind === 'problems', 'expected problems')
  return reading.problems.map(({ line, message }) => `${line ?? '?'}: ${message}`).join('\n')
}

const LOCAL = '[server]\ncommand = "node"\n'

const MISTAKES: readonly (readonly [string, string, RegExp])[] = [
  [
    'a label that only the vault has',
    `label = "secret"\n${LOCAL}`,
    /^1: label: expected "public" or "internal" or "sensitive" or "regulated"$/,
  ],
  ['a wrong type', `name = 3\n${LOCAL}`, /^1: name: expected text in quotes$/],
  [
    'a domain that is an address',
    `name = "x"\nallowed_domains = ["a.example", "10.0.0.1"]\n${LOCAL}`,
    /^2: allowed_domains\[1\]: expected a host name, not an IP/,
  ],
  [
    'a wrong size',
    `${LOCAL}[sandbox]\nmemory_limit = "lots"`,
    /^4: sandbox\.memory_limit: expected a size like "256m"/,
  ],
  [
    'a limit of memory in two places',
    `${LOCAL}[sandbox]\nmemory_limit = "1g"\n[limits]\nmemory = "2g"`,
    /^6: limits\.memory: expected one limit: it stands under \[sandbox\]/,
  ],
  ['a wrong time', `${LOCAL}[limits]\nidle = 30`, /^4: limits\.idle: expected a time from "10s"/],
  [
    'too many restarts',
    `${LOCAL}[limits]\nrestarts = 101`,
    /^4: limits\.restarts: expected a whole number from 0 to 100/,
  ],
  [
    'a relative path',
    `${LOCAL}[sandbox]\nread_paths = ["data"]`,
    /^4: sandbox\.read_paths\[0\]: expected a path from/,
  ],
  [
    'a folder for a server that starts a browser',
    `${LOCAL}[sandbox]\nstarts_browser = true\nread_paths = ["/srv"]`,
    /^3: sandbox: expected no folders for a server that starts a browser/,
  ],
  ['nothing to run', 'name = "x"', /^\?: server: expected \[server\] with a command, or the url/],
  ['an empty command', '[server]\ncommand = ""', /^2: server\.command: expected text, found none/],
  ['a remote transport without url', 'transport = "sse"', /^\?: url: expected url/],
  [
    'url and command',
    `url = "https://h.example/"\n${LOCAL}`,
    /^2: server: expected either url or \[server\]/,
  ],
  [
    'a local transport with url',
    `transport = "stdio"\nurl = "https://h.example/"\n${LOCAL}`,
    /^2: url: expected no url/,
  ],
  [
    'a tunnel of a remote server',
    'url = "https://h.example/"\nallowed_domains = ["db.example:5432"]',
    /^2: allowed_domains: expected a host with a port only for a server that Cordon starts/,
  ],
  [
    'more tunnels than anybody has databases',
    `allowed_domains = [${Array.from({ length: 17 }, (_, n) => `"db${n}:5432"`).join()}]\n${LOCAL}`,
    /^1: allowed_domains: expected at most 16 hosts with a port/,
  ],
  ['plain http', 'url = "http://h.example/"', /^1: url: expected an https:\/\/ address/],
  ['uds without socket_path', 'transport = "uds"', /^\?: socket_path: expected/],
  [
    'an unknown transport',
    `transport = "carrier-pigeon"\n${LOCAL}`,
    /^1: transport: expected "stdio" or/,
  ],
  [
    'a variable under [auth] of a remote server',
    'url = "https://h.example/"\n[auth]\nTOKEN = "vault:x"',
    /^2: auth: expected only bearer and "header:NAME"/,
  ],
  [
    'a header under [auth] of a local server',
    `${LOCAL}[auth]\n"header:X" = "vault:x"`,
    /^3: auth: expected names of environment variables/,
  ],
  [
    'a variable under [env] of a remote server',
    'url = "https://h.example/"\n[env]\nA = "b"',
    /^2: env: expected only "header:NAME"/,
  ],
  [
    'a name in both [auth] and [env]',
    `${LOCAL}[auth]\nA = "vault:x"\n[env]\nA = "b"`,
    /^5: env: expected each name either/,
  ],
  [
    'a source without its field',
    `${LOCAL}[source]\nkind = "smithery"`,
    /^3: source\.qualified_name: expected text/,
  ],
  [
    'a wrong word about a tool',
    `${LOCAL}[tools."a b"]\nsemantics = "raed"`,
    /^4: tools\."a b"\.semantics: expected "read" or "write"/,
  ],
  [
    'a date among the settings',
    `${LOCAL}[config]\nwhen = 2026-01-01`,
    /^4: config\.when: expected text, numbers/,
  ],
  [
    'a cursor movement in the name',
    `name = "a\\u001b[2J"\n${LOCAL}`,
    /^1: name: expected one line of text/,
  ],
  ['TOML that is none', 'name = "x"\nlabel = \n', /^2: not valid TOML at column 9/],
  [
    'a mistyped field that is missed',
    '[server]\ncomand = "x"',
    /server\.command: expected text.*\n2: server\.comand: unknown field, did you mean "command"\?/s,
  ],
  [
    'a placeholder of an import in args',
    '[server]\ncommand = "x"\nargs = ["--token=${vault:x/token}"]',
    /^3: server\.args: expected no secret among the args/,
  ],
]

for (const [what, text, expected] of MISTAKES) {
  test(`readDefinition() refuses ${what}, with its line`, () => {
    assert.match(problemsOf(text), expected)
  })
}

test('readDefinition() refuses a secret in plain text wherever it stands, and never repeats it', () => {
  const token = 'ghp_canarycanarycanarycanary'
  const places = [
    `${LOCAL}[auth]\nT = "${token}"`,
    `${LOCAL}[auth]\nT = "canary"`,
    `${LOCAL}[auth]\nT = ["canary"]`,
    `${LOCAL}[env]\nT = "${token}"`,
    `[server]\ncommand = "x"\nargs = ["--t", "${token}"]`,
    `[server]\ncommand = "x ${token}"`,
    `url = "https://h.example/?key=canary"`,
    `url = "https://u:canary@h.example/"`,
    `${LOCAL}[config]\na = [{ b = "${token}" }]`,
    `unknown = "${token}"\n${LOCAL}`,
    `name = ${token}\n${LOCAL}`,
    `label = "canary"\n${LOCAL}`,
    `${LOCAL}[source]\nkind = "canary"`,
  ]
  for (const text of places) assert.doesNotMatch(problemsOf(text), /canary/, text)
})
