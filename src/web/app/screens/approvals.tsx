/** The questions that wait, those that are answered, and the standing permissions with their use. */
import type { JSX } from 'preact'
import type { ShownGrant } from '../../../api/approvals.ts'
import type { ShownApproval } from '../../../kernel/approval-port.ts'
import type { ReplayReport } from '../../../text/replay-report.ts'
import { useLive } from '../live.ts'
import { Badge, Card, plural, Shown, Time } from '../parts/basics.tsx'
import { AllowAlerts } from '../parts/allow-alerts.tsx'
import { OpenApprovals } from '../parts/open-approvals.tsx'
import { ask } from '../ask.ts'
import { attempt, tellDone } from '../toasts.ts'

export function Approvals(): JSX.Element {
  const all = useLive('approvals.list', { all: true }, ['approval'])
  const grants = useLive('grants.list', {}, ['grant', 'approval'])
  return (
    <>
      <div class="card-head">
        <h1>Approvals</h1>
        <AllowAlerts />
      </div>
      <OpenApprovals />
      <Shown live={grants} what="permissions">
        {(data) => (
          <Card title="Standing permissions">
            {data.grants.length === 0 ? (
              <p class="muted">None. A question offers one where it is safe to do so.</p>
            ) : (
              <table class="stacks">
                <thead>
                  <tr>
                    <th>Tool</th>
                    <th>Used</th>
                    <th>Until</th>
                    <th>
                      <span class="visually-hidden">Revoke</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {data.grants.map((grant) => (
                    <GrantRow key={grant.id} grant={grant} onRevoked={() => void grants.reload()} />
                  ))}
                </tbody>
              </table>
            )}
          </Card>
        )}
      </Shown>
      <Shown live={all} what="answers">
        {({ approvals }) => (
          <History approvals={approvals.filter(({ state }) => state !== 'pending')} />
        )}
      </Shown>
    </>
  )
}

function GrantRow({
  grant,
  onRevoked,
}: {
  readonly grant: ShownGrant
  readonly onRevoked: () => void
}): JSX.Element {
  const { id, server, tool, uses, expiresAt, isUnused, isVoid } = grant
  const replay = useLive('policy.replay', { days: 30, grants: [], without: [id] }, [])
  const revoke = (): void =>
    void attempt(async () => {
      await ask('grants.revoke', { id })
      tellDone(`Revoked: ${server}.${tool} is asked about again.`)
      onRevoked()
    })
  return (
    <tr>
      <td>
        <code>
          {server}.{tool}
        </code>{' '}
        {isVoid && <Badge tone="error" text="void: the tool changed" />}{' '}
        {isUnused && <Badge tone="idle" text="unused for 60 days" />}
      </td>
      <td>
        {uses === 1 ? 'once' : `${uses} times`}
        {replay.data.value && <span class="muted">{savedText(replay.data.value)}</span>}
      </td>
      <td>
        <Time iso={expiresAt} />
      </td>
      <td>
        <button type="button" class="quiet" onClick={revoke}>
          Revoke
        </button>
      </td>
    </tr>
  )
}

/** The questions of the last 30 days that would be asked without the permission. */
function savedText({ today, changed }: ReplayReport): string {
  const saved = changed.ask - today.ask
  return saved > 0 ? `; ${plural(saved, 'question')} less in 30 days` : ''
}

function History({ approvals }: { readonly approvals: readonly ShownApproval[] }): JSX.Element {
  return (
    <Card title="Answered">
      {approvals.length === 0 ? (
        <p class="muted">Nothing was asked yet.</p>
      ) : (
        <ul class="rows">
          {approvals.slice(0, 100).map((approval) => (
            <Answered key={approval.id} approval={approval} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function Answered({ approval }: { readonly approval: ShownApproval }): JSX.Element {
  const { items, createdAt, answeredHow } = approval
  const word = outcomeOf(approval)
  return (
    <li>
      <Time iso={createdAt} />
      <Badge tone={TONES[word]} text={word} />
      <code>{items.map(({ tool }) => `${tool.server}.${tool.name}`).join(', ')}</code>
      {answeredHow.length > 0 && <span class="muted">by {answeredHow.join(', ')}</span>}
    </li>
  )
}

type Outcome = 'allowed' | 'denied' | 'in part' | 'expired' | 'void'

const TONES: Readonly<Record<Outcome, string>> = {
  allowed: 'connected',
  denied: 'error',
  'in part': 'locked',
  expired: 'idle',
  void: 'idle',
}

/** An answered question may have allowed some of its calls and denied others. */
function outcomeOf({ state, items }: ShownApproval): Outcome {
  if (state === 'expired' || state === 'void') return state
  const answers = new Set(items.map(({ isAllowed }) => isAllowed === true))
  if (answers.size > 1) return 'in part'
  return answers.has(true) ? 'allowed' : 'denied'
}
