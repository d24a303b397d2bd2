/** Forgets everything that came from a server, a day or a channel; says how much that is before it asks. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { ForgottenCounts } from '../../../ports/memory-port.ts'
import { ask } from '../ask.ts'
import { attempt, tellDone } from '../toasts.ts'
import { Card, Foreign, plural, Prose } from './basics.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { OneLineForm } from './one-line-form.tsx'

interface Asked {
  readonly from: string
  readonly counts: ForgottenCounts
}

export function ForgetFrom({ onForgotten }: { readonly onForgotten: () => void }): JSX.Element {
  const asked = useSignal<Asked | undefined>(undefined)
  const count = async (from: string): Promise<boolean> =>
    await attempt(async () => {
      asked.value = { from, counts: await ask('memory.forget', { from, dryRun: true }) }
    })
  const forget = (from: string): void =>
    void attempt(async () => {
      tellDone(`Forgotten: ${inWords(await ask('memory.forget', { from }))}.`)
      onForgotten()
    })
  const question = asked.value
  return (
    <Card title="Forget">
      <Prose text="A server (`notion`), a day (`today`, `2026-11-16`), a channel (`telegram`), or `everywhere`." />
      <OneLineForm label="Everything that came from" button="Forget…" onSend={count} />
      {question && (
        <ConfirmDialog
          title="Forget all of it?"
          verb="Forget"
          onConfirm={() => {
            asked.value = undefined
            forget(question.from)
          }}
          onCancel={() => (asked.value = undefined)}
        >
          {inWords(question.counts)} from <Foreign text={question.from} /> will be gone.
        </ConfirmDialog>
      )}
    </Card>
  )
}

function inWords({ facts, results, turns }: ForgottenCounts): string {
  return `${plural(facts, 'fact')}, ${plural(results, 'result')} and ${plural(turns, 'turn')}`
}
