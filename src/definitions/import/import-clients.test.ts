import assert from 'node:assert/strict'
import test from 'node:test'
import { importText } from './fake-import.ts'

test('Claude Desktop: command, args, env; a token goes to the vault, a setting stays', async () => {
  const imported = await importText('claude_desktop_config.json', {
    mcpServers: {
      github: {
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-github'],
        env: {
          GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_canary0123456789canary0123456789',
          LOG_LEVEL: 'debug',
          RETRIES: 3,
        },
      },
      'My Files': { command: 'npx', args: ['-y', '@x/fs', '/home/me/Documents'] },
    },
  })
  const github = imported.server('github')
  assert.deepEqual(github.refs, {
    GITHUB_PERSONAL_ACCESS_TOKEN: 'vault:github/GITHUB_PERSONAL_ACCESS_TOKEN',
  })
  assert.deepEqual(github.env, { LOG_LEVEL: 'debug', RETRIES: '3' })
  assert.equal(
    imported.secrets.get('github/GITHUB_PERSONAL_ACCESS_TOKEN'),
    'ghp_canary0123456789canary0123456789',
  )
  assert.equal(imported.server('my-files').name, 'My Files')
  assert.deepEqual(imported.report.servers[0]?.movedSecrets, [
    'github/GITHUB_PERSONAL_ACCESS_TOKEN',
  ])
  assert.match(
    imported.report.notes.join(),
    /still holds tokens in plain text.*claude_desktop_config\.json/,
  )
  assert.match(imported.notes('my-files'), /no hosts allowed yet/)
  assert.doesNotMatch(imported.visible, /canary/)
})

test('Claude Code: global servers and those of projects, the same one only once', async () => {
  const shared = { type: 'stdio', command: 'x', args: [], env: {} }
  const { report, server, notes } = await importText('.claude.json', {
    numStartups: 7,
    mcpServers: { shared },
    projects: {
      '/home/me/a': { allowedTools: [], mcpServers: { shared, db: { command: 'db-a' } } },
      '/home/me/b': { mcpServers: { db: { command: 'db-b' } } },
      '/home/me/c': {},
    },
  })
  assert.deepEqual(
    report.servers.map((entry) => entry.server),
    ['shared', 'db', 'db-2'],
  )
  assert.equal(server('db-2').command, 'db-b')
  assert.match(notes('db-2'), /only for the project \/home\/me\/b$/m)
})

test('Cursor: remote servers with headers; only secrets become credentials', async () => {
  const imported = await importText('mcp.json', {
    mcpServers: {
      linear: {
        url: 'https://mcp.linear.app/mcp',
        headers: { Authorization: 'Bearer lin_api_canarycanarycanary' },
      },
      gh: {
        type: 'streamableHttp',
        url: 'https://api.githubcopilot.com/mcp/',
        headers: {
          authorization: 'bearer ${env:GH}',
          'X-MCP-Toolsets': 'repos',
          'X-Api-Key': 'canary',
          'X-Org': '${ORG}',
        },
      },
      basic: {
        type: 'sse',
        url: 'https://h.example/sse',
        headers: { Authorization: 'Basic Y2FuYXJ5OmNhbmFyeQ==' },
      },
    },
  })
  assert.deepEqual(imported.server('linear').refs, { bearer: 'vault:linear/bearer' })
  assert.equal(imported.secrets.get('linear/bearer'), 'lin_api_canarycanarycanary')
  assert.deepEqual(imported.server('linear').allowedDomains, ['mcp.linear.app'])
  const gh = imported.server('gh')
  assert.equal(gh.transport, 'stream-http')
  assert.deepEqual(gh.env, { 'header:X-MCP-Toolsets': 'repos' })
  assert.deepEqual(gh.refs, {
    bearer: 'vault:gh/GH',
    'header:X-Api-Key': 'vault:gh/header-X-Api-Key',
    'header:X-Org': 'vault:gh/ORG',
  })
  assert.deepEqual(imported.server('basic').refs, {
    'header:Authorization': 'vault:basic/header-Authorization',
  })
  assert.equal(imported.server('basic').transport, 'sse')
  assert.doesNotMatch(imported.visible, /canary|Y2FuYXJ5/)
})

test('VS Code: comments, trailing commas, inputs, types; also inside settings', async () => {
  const servers = `{
    // what a person wrote
    "inputs": [{ "type": "promptString", "id": "gh-token", "password": true, }],
    "servers": {
      "gh": { "type": "http", "url": "https://api.githubcopilot.com/mcp/", "headers": { "Authorization": "Bearer \${input:gh-token}" } },
      "local": { "type": "stdio", "command": "node", "args": ["\${workspaceFolder}/s.js"], "envFile": "\${workspaceFolder}/.env", "env": { "API_KEY": "\${input:gh-token}" } },
    },
  }`
  for (const text of [servers, `{ "editor.fontSize": 12, "mcp": ${servers} }`]) {
    const { server, notes, secrets } = await importText('mcp.json', text)
    assert.deepEqual(server('gh').refs, { bearer: 'vault:gh/gh-token' })
    assert.match(notes('gh'), /needs a secret: run `cordon vault set gh\/gh-token`/)
    assert.deepEqual(server('local').refs, { API_KEY: 'vault:local/gh-token' })
    assert.deepEqual(server('local').args, ['${workspaceFolder}/s.js'])
    assert.match(notes('local'), /not carried over: envFile/)
    assert.equal(secrets.size, 0)
  }
})

test('Windsurf and Gemini: their own spellings; what was off stays off', async () => {
  const { server, notes } = await importText('mcp_config.json', {
    mcpServers: {
      a: { serverUrl: 'https://a.example/sse', disabled: true },
      b: { command: 'b', disabledTools: ['drop_table'], alwaysAllow: ['read'], cwd: '/x' },
      c: { httpUrl: 'https://c.example/mcp', excludeTools: ['rm'], trust: true },
    },
  })
  assert.equal(server('a').enabled, false)
  assert.equal(server('a').url, 'https://a.example/sse')
  assert.deepEqual(server('b').tools, { drop_table: { enabled: false } })
  assert.match(notes('b'), /not carried over: alwaysAllow, cwd/)
  assert.deepEqual(server('c').tools, { rm: { enabled: false } })
})

test('Codex: the same servers, in TOML', async () => {
  const { server, secrets } = await importText(
    'config.toml',
    'model = "m"\n[mcp_servers.x]\ncommand = "x"\nargs = ["a"]\n[mcp_servers.x.env]\nX_TOKEN = "canary"\n',
  )
  assert.deepEqual(server('x').refs, { X_TOKEN: 'vault:x/X_TOKEN' })
  assert.equal(secrets.get('x/X_TOKEN'), 'canary')
})

test('pflow: many entries of one server become one definition', async () => {
  const tool = (name: string) => ({
    node_id: `mcp-gh-${name}`,
    type: 'mcp_wrapper',
    mcp_config: {
      server_id: 'gh',
      tool_name: name,
      transport: 'stdio',
      command: 'mcp-gh',
      version: '1',
      manifest_hash: 'sha256:1',
    },
  })
  const auth = {
    server_id: 'remote',
    transport: 'sse',
    url: 'https://r.example/mcp',
    auth: { token_env: 'R', scopes: ['a'] },
  }
  for (const content of [[tool('a'), tool('b'), auth], { x: tool('a'), y: tool('b'), z: auth }]) {
    const { report, server } = await importText('registry.json', content)
    assert.equal(report.format, 'pflow registry')
    assert.deepEqual(
      report.servers.map((entry) => entry.server),
      ['gh', 'remote'],
    )
    assert.equal(server('gh').command, 'mcp-gh')
    assert.deepEqual(server('remote').refs, { bearer: 'vault:remote/R' })
    assert.deepEqual(server('remote').scopes, ['a'])
  }
})
