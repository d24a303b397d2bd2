/**
 * An answer. Lines that a server wrote begin with `│`: they are set apart under the name of that server, and never become
 * markup; all other lines are markdown of Cordon or of the owner's model.
 */
import type { JSX } from 'preact'
import { lazy, Suspense } from 'preact/compat'
import { printable } from '../../../text/untrusted-text.ts'
import { Provenance } from './provenance.tsx'

interface AnswerProps {
  readonly text: string
  readonly hasFailed?: boolean
  /** The servers whose data is in it. */
  readonly from?: readonly string[]
}

/** Loaded with the first answer: the first screen does not need it. */
const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }))

export function AnswerView({ text, hasFailed = false, from = [] }: AnswerProps): JSX.Element {
  return (
    <div class={hasFailed ? 'answer failed' : 'answer'}>
      {groupsIn(text).map((group, at) =>
        group.isForeign ? (
          <External key={at} text={group.lines.join('\n')} />
        ) : (
          <Suspense key={at} fallback={<p class="said">{group.lines.join('\n')}</p>}>
            <Markdown text={group.lines.join('\n')} />
          </Suspense>
        ),
      )}
      <Provenance from={from} />
    </div>
  )
}

/** Text that somebody else wrote, as it is. */
export function External({ text }: { readonly text: string }): JSX.Element {
  return (
    <blockquote class="external" aria-label="Words of a server">
      <pre>{text}</pre>
    </blockquote>
  )
}

interface Group {
  readonly isForeign: boolean
  readonly lines: readonly string[]
}

function groupsIn(text: string): readonly Group[] {
  const groups: Group[] = []
  for (const line of printable(text).split('\n')) {
    const isForeign = line.startsWith('│')
    const shown = isForeign ? line.replace(/^│ ?/, '') : line
    const last = groups.at(-1)
    if (last?.isForeign === isForeign)
      groups.splice(-1, 1, { ...last, lines: [...last.lines, shown] })
    else groups.push({ isForeign, lines: [shown] })
  }
  return groups
}
