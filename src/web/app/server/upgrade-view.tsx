/**
 * A newer version of a server's package: what it would change, a button that takes exactly what was shown, and one that
 * goes back. Names of files, hosts and tools are the package's own words.
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { showPlan } from '../../../api/show-upgrade.ts'
import type { TakenUpgrade, UpgradePlan } from '../../../ports/upgrade-port.ts'
import { ask } from '../ask.ts'
import { Foreign } from '../parts/basics.tsx'
import { attempt, tellDone } from '../toasts.ts'

interface UpgradeProps {
  readonly server: string
  readonly onUpgraded: () => void
}

export function UpgradeView({ server, onUpgraded }: UpgradeProps): JSX.Element {
  const plan = useSignal<UpgradePlan | undefined>(undefined)
  const before = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const busy = async (work: () => Promise<void>): Promise<void> => {
    isBusy.value = true
    await attempt(work)
    isBusy.value = false
  }
  const look = async (): Promise<void> => {
    const found = await ask('upgrades.plan', { server })
    plan.value = found.plan ?? undefined
    before.value = found.before ?? undefined
    if (!found.plan) tellDone(`${server} uses the newest version.`)
  }
  const settle = ({ to, waiting }: TakenUpgrade): void => {
    plan.value = undefined
    tellDone(`${server} is at ${to}.${waiting.length > 0 ? ' Some tools wait for you.' : ''}`)
    onUpgraded()
  }
  const take = async ({ after, manifest, tools = [] }: UpgradePlan): Promise<void> => {
    const seen = Object.fromEntries(tools.map(({ name, hash }) => [name, hash]))
    settle(await ask('upgrades.take', { server, version: after.version, manifest, tools: seen }))
  }
  const found = plan.value
  return (
    <>
      {found && <Differences plan={found} />}
      <p>
        {found && found.willRun.length > 0 ? (
          <>
            Its install scripts can be allowed in a terminal only:{' '}
            <code>cordon mcp upgrade {server}</code>
          </>
        ) : found ? (
          <button
            type="button"
            disabled={isBusy.value}
            onClick={() => void busy(() => take(found))}
          >
            Take {found.after.version}
          </button>
        ) : (
          <button
            type="button"
            class="quiet"
            disabled={isBusy.value}
            onClick={() => void busy(look)}
          >
            {isBusy.value ? 'Fetching it beside the one in use…' : 'See what an upgrade changes'}
          </button>
        )}{' '}
        {before.value !== undefined && (
          <button
            type="button"
            class="quiet"
            disabled={isBusy.value}
            onClick={() => void busy(async () => settle(await ask('upgrades.undo', { server })))}
          >
            Go back to {before.value}
          </button>
        )}
      </p>
    </>
  )
}

function Differences({ plan }: { readonly plan: UpgradePlan }): JSX.Element {
  return (
    <ul>
      {showPlan(plan, Date.now()).map((line) => (
        <li key={line}>
          <Foreign text={line} />
        </li>
      ))}
    </ul>
  )
}
