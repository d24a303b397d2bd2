/** Routes by which the owner moves a server to a newer version of its package, after a look at the differences. */
import { z } from 'zod'
import type { Definitions } from '../kernel/ports.ts'
import type { SeenUpgrade, TakenUpgrade, UpgradePlan, Upgrades } from '../ports/upgrade-port.ts'
import { server } from './fields.ts'
import { noSuchServer } from './no-such-server.ts'
import type { Routes } from './route.ts'

interface Server {
  readonly server: string
}

export interface UpgradeContract {
  /**
   * Open to the page, like `connect.start`: it fetches the newest version of a package that is in use already, runs none of
   * its install scripts, and gives its trial run neither network nor credentials. `null`: the newest is in use.
   */
  'upgrades.plan': {
    surface: 'any'
    input: Server
    output: { readonly plan: UpgradePlan | null; readonly before: string | null }
  }
  /**
   * Open to the page: it takes the hash over all files that was shown there, and the hashes of the tools. Only a terminal
   * may send `allowScripts`.
   */
  'upgrades.take': { surface: 'any'; input: Server & SeenUpgrade; output: TakenUpgrade }
  'upgrades.undo': { surface: 'any'; input: Server; output: TakenUpgrade }
  /** `step`: of the work under way. `before`: the version that `upgrades.undo` leads back to. */
  'upgrades.state': {
    surface: 'any'
    input: Server
    output: { readonly step: string | null; readonly before: string | null }
  }
}

export interface UpgradeDeps {
  readonly definitions: Pick<Definitions, 'load'>
  readonly upgrades: Upgrades
}

const seenTools = z.record(z.string().min(1).max(256), z.hex().length(64))

export function upgradeRoutes({ definitions, upgrades }: UpgradeDeps): Routes<UpgradeContract> {
  const known = async (name: string): Promise<string> => {
    const { servers } = await definitions.load()
    if (servers.some(({ definition }) => definition.id === name)) return name
    throw noSuchServer(name, servers)
  }
  const before = async (name: string): Promise<string | null> =>
    (await upgrades.before(name)) ?? null
  return {
    'upgrades.plan': {
      surface: 'any',
      input: z.strictObject({ server }),
      async handle({ server }, signal) {
        const plan = (await upgrades.plan(await known(server), signal)) ?? null
        return { plan, before: await before(server) }
      },
    },
    'upgrades.take': {
      surface: 'any',
      input: z.strictObject({
        server,
        version: z.string().min(1).max(128),
        manifest: z.string().min(1).max(200),
        tools: seenTools,
        allowScripts: z.boolean().exactOptional(),
      }),
      isForTerminal: ({ allowScripts }) => allowScripts === true,
      handle: async ({ server, ...seen }, signal) =>
        await upgrades.take(await known(server), seen, signal),
    },
    'upgrades.undo': {
      surface: 'any',
      input: z.strictObject({ server }),
      handle: async ({ server }, signal) => await upgrades.undo(await known(server), signal),
    },
    'upgrades.state': {
      surface: 'any',
      input: z.strictObject({ server }),
      async handle({ server }) {
        return { step: upgrades.step(server) ?? null, before: await before(server) }
      },
    },
  }
}
