/**
 * Claude Code, Codex and Gemini CLI as their users have them: `cordon install`, the agent's own check of the server, and
 * a whole turn in which its model calls a tool. The model is a stand-in on loopback, since the real ones need an account.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { type AgentModel, openAgentModel } from '../fixtures/agent-model.ts'
import { finish } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'
import { type ClientHouse, interrupt, openClientHouse } from './client-house.ts'

type AgentName = 'claude-code' | 'codex' | 'gemini'

interface Agent {
  /** The command that lists configured servers, and its line for a healthy server. */
  readonly check: readonly [args: readonly string[], healthy: RegExp]
  /** Gives a server by its address, with the token from the variable `TOKEN`. */
  readonly addUrl: (house: ClientHouse) => readonly string[]
  /** One turn without a person. */
  readonly turn: (
    model: AgentModel,
  ) => readonly [readonly string[], Readonly<Record<string, string>>]
  /** The agent's answer to a question of a server while no person is there. */
  readonly answersQuestions: 'cancel' | 'decline'
}

const AGENTS: Readonly<Record<AgentName, Agent>> = {
  'claude-code': {
    check: [['mcp', 'list'], /^NAME: .*Connected$/m],
    addUrl: addOverHttp,
    turn: ({ url }) => [
      ['-p', 'go', '--allowedTools', 'mcp__cordon'],
      { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-test', ENABLE_TOOL_SEARCH: 'false' },
    ],
    answersQuestions: 'cancel',
  },
  codex: {
    check: [['mcp', 'list'], /^NAME .*enabled/m],
    addUrl: ({ url }) => ['mcp', 'add', 'web', '--url', url, '--bearer-token-env-var', 'TOKEN'],
    turn: ({ url }) => [
      `exec --skip-git-repo-check go -c model=scripted -c model_provider=here -c ${providerAt(url)}`.split(
        ' ',
      ),
      { MODEL_KEY: 'sk-test' },
    ],
    answersQuestions: 'decline',
  },
  gemini: {
    check: [['mcp', 'list'], /NAME: .*Connected$/m],
    addUrl: addOverHttp,
    turn: ({ url }) => [
      ['-p', 'go', '-m', 'gemini-2.5-flash', '--approval-mode', 'yolo'],
      { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'test' },
    ],
    answersQuestions: 'cancel',
  },
}

function providerAt(url: string): string {
  const retries = 'request_max_retries=0,stream_max_retries=0'
  const api = `base_url="${url}/v1",env_key="MODEL_KEY",wire_api="responses"`
  return `model_providers.here={name="here",${api},${retries}}`
}

function addOverHttp({ url, token }: ClientHouse): readonly string[] {
  const bearer = `Authorization: Bearer ${token}`
  return [...'mcp add --scope user --transport http web'.split(' '), url, '--header', bearer]
}

async function install(house: ClientHouse, name: AgentName): Promise<void> {
  await house.cordon.ask(['install', name, '--yes'])
  if (name !== 'gemini') return
  // It takes a key from its environment only if its settings choose this way to sign in.
  const file = path.join(path.dirname(house.cordon.home), '.gemini', 'settings.json')
  const settings = JSON.parse(readFileSync(file, 'utf8')) as object
  const security = { auth: { selectedType: 'gemini-api-key' } }
  writeFileSync(file, JSON.stringify({ ...settings, security }))
}

for (const [name, agent] of Object.entries(AGENTS) as [AgentName, Agent][]) {
  test(`${name}: installed by Cordon and given its address, it finds the gateway in order`, async () => {
    await using house = await openClientHouse()
    await install(house, name)
    const added = await house.run(name, agent.addUrl(house))
    assert.equal(added.code, 0, added.stdout + added.stderr)
    const [args, healthy] = agent.check
    const { stdout, stderr } = await house.run(name, args, { TOKEN: house.token })
    for (const server of ['cordon', 'web']) {
      // Gemini CLI prints its list to the error stream.
      assert.match(stdout + stderr, new RegExp(healthy.source.replace('NAME', server), 'm'))
    }
  })

  test(`${name}: its model is offered the tools, calls one, and reads the answer`, async () => {
    await using house = await openClientHouse()
    await install(house, name)
    await using model = await openAgentModel('echo__sum', { a: 1, b: 2 })
    const { code, stdout, stderr } = await house.run(name, ...agent.turn(model))
    assert.equal(code, 0, stdout + stderr)
    assert.ok(
      model.offered().some((tool) => tool.endsWith('run_flow')),
      model.offered().join(' '),
    )
    assert.match(model.answer() ?? '', /total\W+3/)
    assert.match(stdout, /total/)
  })

  test(`${name}: a server that asks a person who is not there is told so`, async () => {
    await using house = await openClientHouse()
    await install(house, name)
    await using model = await openAgentModel('asker__ask', { question: 'form' })
    const { code, stdout, stderr } = await house.run(name, ...agent.turn(model))
    assert.equal(code, 0, stdout + stderr)
    assert.match(model.answer() ?? '', new RegExp(agent.answersQuestions))
  })

  test(`${name}: stopped by its person, it leaves no call running at the server`, async () => {
    await using house = await openClientHouse()
    await install(house, name)
    await using model = await openAgentModel('slow__sleep', { ms: 600_000 })
    const child = await house.start(name, ...agent.turn(model))
    const ended = finish(child)
    await until(async () => (await house.logs('slow')).includes('told to sleep'))
    // Again until it is heard, as a person does: an agent that is just busy with its screen may miss one.
    await until(async () => {
      interrupt(child)
      return (await house.logs('slow')).includes('told to cancel')
    })
    // Whether the agent also ends by itself is its own affair.
    interrupt(child, 'SIGKILL')
    await ended
  })
}
