/**
 * A task of one of our own suites with a twist, and the expected outcome: a verdict per step, the calls that reach a
 * server if the owner says no and if they say yes, and where it matters the exact arguments that arrive.
 */
import type { Json, JsonObject } from '../../src/text/json.ts'
import type { GrantKind } from '../../src/kernel/grant.ts'
import { OWNER, type PrincipalKind } from '../../src/kernel/principal.ts'
import { createSchemaChecker } from '../../src/servers/session/schema-checker.ts'
import type { Task, Template } from '../../src/kernel/tool-call.ts'
import { unknownTool } from '../../src/servers/life/tool-facts.ts'
import { createRedactor } from '../../src/vault/redactor.ts'
import { deriveManifest } from './field-manifest.ts'
import { createOracle } from './oracle.ts'
import { planFor } from './plan.ts'
import { type Outcome, type Run, runTask } from './run-task.ts'
import type { Args, Suite, SuiteTool, UserTask } from './suite.ts'
import { knowTools } from './suite-facts.ts'
import { createWorld, type World } from './world.ts'

export interface Scenario {
  /** Verdict and rule of each step: `allow read.remote`, `ask flow`, `deny secret`. */
  readonly expect: readonly string[]
  /** The id of the attacker's goal; absent: nobody attacks. */
  readonly attack?: string
  /** Steps that reach a server. Absent: the allowed steps, and the steps asked about where the owner says yes. */
  readonly reaches?: { readonly no?: readonly number[]; readonly yes?: readonly number[] }
  /** The arguments that arrive at the server, by step. */
  readonly leaves?: Readonly<Record<string, Args>>
  /** The number of questions to the owner. */
  readonly questions?: number
  /** No batching: each call is asked about when its turn comes. */
  readonly isAskedAlone?: boolean
  /** The owner says yes only to these steps. */
  readonly approves?: readonly number[]
  readonly task?: Partial<Pick<Task, 'plan' | 'control' | 'callsBefore'>>
  readonly principal?: PrincipalKind
  readonly template?: Template
  readonly grants?: readonly (GrantKind & { readonly tool: string })[]
  readonly becomes?: Change
}

/** A change that a server makes to a tool after the plan was made, or while the owner is being asked. */
export interface Change {
  readonly when: 'planned' | 'asked'
  readonly tool: string
  readonly to: 'gone' | Partial<SuiteTool>
  /** The owner looked at the change and accepted it. */
  readonly isAccepted?: boolean
}

export interface ScenarioTask extends UserTask {
  readonly title: string
  readonly scenario: Scenario
}

export async function playScenario(
  suite: Suite,
  { id, scenario }: ScenarioTask,
  secret: string,
): Promise<{ readonly no: Outcome; readonly yes: Outcome }> {
  const spelled = spellSecrets(suite as unknown as Json, secret) as unknown as Suite
  const play = async (says: boolean): Promise<Outcome> => {
    await using checker = createSchemaChecker()
    const stage = createStage(spelled, scenario)
    const secrets = createRedactor()
    secrets.learn(Buffer.from(secret))
    const { approves } = scenario
    const run: Run = {
      world: stage.world,
      oracle: createOracle(spelled.injectionTasks.find((goal) => goal.id === scenario.attack)),
      isBatched: scenario.isAskedAlone !== true,
      secrets,
      principal: { kind: scenario.principal ?? 'owner', id: OWNER.id },
      twist: { ...scenario.task, ...(scenario.template && { template: scenario.template }) },
      owner({ request }) {
        stage.change()
        return says && (approves?.includes(Number(request.task.step)) ?? true)
      },
      misfit: async ({ tool, args }) => await checker.check(stage.schemaOf(tool.name), { ...args }),
    }
    const task = spelled.userTasks.find((one) => one.id === id) as UserTask
    return await runTask(run, planFor(spelled, deriveManifest(spelled), task))
  }
  return { no: await play(false), yes: await play(true) }
}

interface Stage {
  readonly world: World
  change(): void
  schemaOf(tool: string): JsonObject
}

function createStage(suite: Suite, { becomes, grants = [] }: Scenario): Stage {
  const fields = deriveManifest(suite)
  const setting = { name: 'scenario', level: 'sensitive' } as const
  const world = createWorld(suite, fields, setting)
  const later =
    becomes &&
    knowTools(changed(suite, becomes), fields, {
      level: setting.level,
      ...(!becomes.isAccepted && { before: suite }),
    })
  let hasChanged = becomes?.when === 'planned'
  const facts: World['facts'] = (name) => {
    if (!later || !hasChanged) return world.facts(name)
    return later.get(name)?.facts ?? unknownTool(world.facts(name).id)
  }
  return {
    world: {
      ...world,
      facts,
      grants(name) {
        const { id, hash, serverPin } = world.facts(name)
        return grants
          .filter(({ tool }) => tool === name)
          .map((grant) => ({
            ...grant,
            id: `${grant.kind} ${name}`,
            owner: OWNER.id,
            server: id.server,
            hash,
            serverPin,
            createdAt: 0,
            expiresAt: Number.MAX_SAFE_INTEGER,
            usesLeft: 1,
          }))
      },
    },
    change() {
      hasChanged = true
    },
    schemaOf: (name) => suite.tools.find((tool) => tool.name === name)?.inputSchema ?? {},
  }
}

function changed(suite: Suite, { tool, to }: Change): Suite {
  const tools = suite.tools.flatMap((one) => {
    if (one.name !== tool) return [one]
    return to === 'gone' ? [] : [{ ...one, ...to }]
  })
  return { ...suite, tools }
}

const SPELLINGS: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  base64: (secret) => Buffer.from(secret).toString('base64'),
  hex: (secret) => Buffer.from(secret).toString('hex'),
  url: (secret) => encodeURIComponent(secret),
  first: (secret) => secret.slice(0, 9),
  second: (secret) => secret.slice(9),
}

/** `{{plain}}`, `{{base64}}` … stand for the secret of this run, so that none is ever written down. */
function spellSecrets(json: Json, secret: string): Json {
  const text = JSON.stringify(json).replace(/\{\{(\w+)\}\}/g, (mark, spelling: string) => {
    const spell = SPELLINGS[spelling]
    return spell ? JSON.stringify(spell(secret)).slice(1, -1) : mark
  })
  return JSON.parse(text) as Json
}
