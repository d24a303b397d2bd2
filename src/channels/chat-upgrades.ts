/**
 * Newer versions in a chat: `upgrade NAME` shows what would change, `yes, upgrade NAME` takes exactly what was shown, and
 * `yes, undo upgrade NAME` goes one step back.
 */
import type { Api } from '../api/contract.ts'
import { showPlan } from '../api/show-upgrade.ts'
import { showUpdates } from '../api/show-updates.ts'
import { inChatWords } from '../text/in-chat-words.ts'
import type { TakenUpgrade, UpgradePlan } from '../ports/upgrade-port.ts'

export type UpgradesApi = Api<'upgrades.plan' | 'upgrades.take' | 'upgrades.undo' | 'mcp.updates'>
type Find = (name: string) => Promise<{ readonly server: string } | undefined>

export interface ChatUpgrades {
  /** Newer and withdrawn versions of all servers. */
  list(signal: AbortSignal): Promise<string>
  /** Undefined if no server has this name. */
  show(name: string, signal: AbortSignal): Promise<string | undefined>
  /** For the words after `yes,`. Undefined if they are about something else. */
  agree(words: string, signal: AbortSignal): Promise<string | undefined>
}

export function createChatUpgrades(api: UpgradesApi, find: Find): ChatUpgrades {
  /** The last plan that was shown of each server. */
  const shown = new Map<string, UpgradePlan>()
  return {
    async list(signal) {
      const { servers } = await api.call('mcp.updates', {}, signal)
      return inChatWords(showUpdates(servers).join('\n'))
    },
    async show(name, signal) {
      const found = await find(name)
      if (!found) return undefined
      const { server } = found
      const { plan, before } = await api.call('upgrades.plan', { server }, signal)
      if (!plan)
        return [`${server} uses the newest version.`, ...wayBack(server, before)].join('\n')
      shown.set(server, plan)
      return [...showPlan(plan, Date.now()), howToTake(plan)].join('\n')
    },
    async agree(words, signal) {
      const { verb, name = '' } = AGREED.exec(words)?.groups ?? {}
      const found = verb === undefined ? undefined : await find(name)
      if (!found) return undefined
      return verb === 'upgrade'
        ? await take(found.server, signal)
        : await undo(found.server, signal)
    },
  }

  async function take(server: string, signal: AbortSignal): Promise<string> {
    const plan = shown.get(server)
    if (!plan) return `Look at it first: upgrade ${server}`
    shown.delete(server)
    const { manifest, tools = [], after } = plan
    const seen = Object.fromEntries(tools.map(({ name, hash }) => [name, hash]))
    const wanted = { server, version: after.version, manifest, tools: seen }
    const taken = await api.call('upgrades.take', wanted, signal)
    return describe(taken, `is now at ${taken.to}`, wayBack(server, taken.from))
  }

  async function undo(server: string, signal: AbortSignal): Promise<string> {
    const taken = await api.call('upgrades.undo', { server }, signal)
    return describe(taken, `is back at ${taken.to}`, [])
  }
}

const AGREED = /^(?<verb>upgrade|undo upgrade) (?<name>.+)$/

/** Only a terminal can allow install scripts. */
function howToTake({ server, willRun }: UpgradePlan): string {
  return willRun.length === 0
    ? `To take it, type: yes, upgrade ${server}`
    : `Its install scripts can be allowed in a terminal only. In a shell: cordon mcp upgrade ${server}`
}

function wayBack(server: string, before: string | null): readonly string[] {
  return before === null ? [] : [`To go back to ${before}, type: yes, undo upgrade ${server}`]
}

function describe(
  { server, waiting }: TakenUpgrade,
  what: string,
  more: readonly string[],
): string {
  const held =
    waiting.length === 0
      ? []
      : [
          `Its tools differ from those you accepted: ${waiting.join(', ')}. In a shell, \`cordon mcp accept ${server}\` shows them.`,
        ]
  return [`${server} ${what}.`, ...held, ...more].join('\n')
}
