/** Routes about notices. A page may read them and mark them as seen; allowing a host changes a definition, so it may not. */
import { z } from 'zod'
import type { Deliveries } from '../ports/delivery-port.ts'
import { CordonError } from '../kernel/error.ts'
import type { Definitions, Servers } from '../kernel/ports.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { cutText } from '../text/untrusted-text.ts'
import type { Routes } from './route.ts'

export interface Notice {
  /** `notion:sign-in` */
  readonly id: string
  readonly kind: string
  readonly server: string
  /** The hosts, scopes or tools in question; untrusted text. */
  readonly items: readonly string[]
  /** One sentence, without a full stop. */
  readonly what: string
  /** The remedy: one imperative sentence, without a full stop. */
  readonly hint: string
  /** ISO. */
  readonly since: string
  readonly last: string
  readonly count: number
  readonly isSeen: boolean
  /** The result that a notice is about, in lines; may hold untrusted text. */
  readonly text?: string
}

export interface NoticeContract {
  /** Those that were not seen yet, or all. `after`: waits up to 20 seconds for a `version` above it. */
  'notices.list': {
    surface: 'any'
    input: { readonly all?: boolean; readonly after?: number }
    output: { readonly version: number; readonly notices: readonly Notice[] }
  }
  /** Marks these as seen; all of them if none is named. */
  'notices.seen': {
    surface: 'any'
    input: { readonly ids?: readonly string[] }
    output: { readonly seen: number }
  }
  /** Adds the hosts of a notice, or those of them that are named, to the list of its server. */
  'notices.allow': {
    input: { readonly id: string; readonly hosts?: readonly string[] }
    output: { readonly server: string; readonly allowed: readonly string[] }
  }
}

export interface NoticeDeps {
  readonly notices: {
    readonly version: number
    list(): Promise<readonly Notice[]>
    markSeen(ids?: readonly string[]): Promise<void>
    changed(after: number, signal: AbortSignal): Promise<void>
  }
  readonly definitions: Pick<Definitions, 'load' | 'edit'>
  readonly servers: Pick<Servers, 'refresh'>
  readonly deliveries: Pick<Deliveries, 'resultText'>
}

const id = z.string().min(1).max(400)
const host = z.string().min(1).max(255)

export function noticeRoutes(deps: NoticeDeps): Routes<NoticeContract> {
  const { notices } = deps
  return {
    'notices.list': {
      surface: 'any',
      input: z.strictObject({
        all: z.boolean().exactOptional(),
        after: z.number().int().min(0).exactOptional(),
      }),
      async handle({ all = false, after }, signal) {
        if (after !== undefined) await notices.changed(after, signal)
        const { version } = notices // before the list, so that no later change is missed
        const listed = await notices.list()
        const wanted = listed.filter(({ isSeen }) => all || !isSeen)
        const withTexts = wanted.map(async (notice) => ({
          ...shown(notice),
          ...(await textOf(deps, notice)),
        }))
        return { version, notices: await Promise.all(withTexts) }
      },
    },
    'notices.seen': {
      surface: 'any',
      input: z.strictObject({ ids: z.array(id).min(1).max(1000).exactOptional() }),
      async handle({ ids }) {
        const unseen = (await notices.list()).filter(({ isSeen }) => !isSeen)
        await notices.markSeen(ids)
        return { seen: unseen.filter((one) => ids?.includes(one.id) ?? true).length }
      },
    },
    'notices.allow': {
      surface: 'terminal',
      input: z.strictObject({ id, hosts: z.array(host).min(1).max(100).exactOptional() }),
      handle: ({ id, hosts }) => allow(deps, id, hosts),
    },
  }
}

function shown(notice: Notice): Notice {
  const { id, kind, server, items, what, hint, since, last, count, isSeen } = notice
  return { id, kind, server, items, what, hint, since, last, count, isSeen }
}

const LONGEST_TEXT = 8000

/** The result of a scheduled run, read from the run itself: a notice holds no content. */
async function textOf(
  { deliveries }: NoticeDeps,
  { kind, items: [run] }: Notice,
): Promise<{ readonly text?: string }> {
  const text = kind === 'result' && run !== undefined ? await deliveries.resultText(run) : undefined
  return text === undefined ? {} : { text: cutText(text, LONGEST_TEXT) }
}

/** Only hosts that the notice names can be allowed here: those that the owner was shown. */
async function allow(
  { notices, definitions, servers }: NoticeDeps,
  wanted: string,
  hosts: readonly string[] | undefined,
): Promise<{ server: string; allowed: readonly string[] }> {
  const notice = (await notices.list()).find((one) => one.id === wanted)
  if (notice?.kind !== 'blocked') throw nothingToAllow(wanted)
  const unnamed = hosts?.find((one) => !notice.items.includes(one))
  if (unnamed !== undefined) throw nothingToAllow(wanted)
  const allowed = hosts ?? notice.items
  const server = parseServerId(notice.server)
  const { servers: all } = await definitions.load()
  const found = all.find(({ definition }) => definition.id === server)
  const before = found?.definition.allowedDomains ?? []
  await definitions.edit(server, { allowedDomains: [...new Set([...before, ...allowed])] })
  await servers.refresh()
  return { server, allowed }
}

function nothingToAllow(wanted: string): CordonError {
  return new CordonError(
    'kernel.no-blocked-host',
    { exit: 2, hint: 'Run `cordon notices --all` to see which hosts were blocked' },
    `Cannot allow a host by ${JSON.stringify(wanted)}: no notice names it`,
  )
}
