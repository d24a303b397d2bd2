/** Notices: what the owner should know although they did not ask, with the remedy of each. */
import type { JSX } from 'preact'
import type { Notice } from '../../../api/notices.ts'
import { useLive } from '../live.ts'
import { ask } from '../ask.ts'
import { attempt } from '../toasts.ts'
import { Card, Foreign, Prose } from './basics.tsx'

export function Notices(): JSX.Element | null {
  const live = useLive('notices.list', {}, ['notices'])
  const notices = live.data.value?.notices ?? []
  if (notices.length === 0) return null
  const seen = (): void =>
    void attempt(async () => {
      await ask('notices.seen', { ids: notices.map(({ id }) => id) })
      await live.reload()
    })
  const button = (
    <button type="button" class="quiet" onClick={seen}>
      Mark as seen
    </button>
  )
  return (
    <Card title="Needs attention" aside={button}>
      <ul class="warnings">
        {notices.map((notice) => (
          <Item key={notice.id} notice={notice} />
        ))}
      </ul>
    </Card>
  )
}

function Item({ notice: { what, hint, count, text } }: { readonly notice: Notice }): JSX.Element {
  return (
    <li>
      <p>
        {what}
        {count > 1 ? ` (${count} times)` : ''}.
      </p>
      {text !== undefined && (
        <pre>
          <Foreign text={text} />
        </pre>
      )}
      <Prose text={`${hint}.`} />
    </li>
  )
}
