/** A message of the person. Text that was pasted into it counts as somebody else's, and is shown so: no planner reads it. */
import type { JSX } from 'preact'
import { extract } from '../../../text/extract.ts'
import { printable } from '../../../text/untrusted-text.ts'

export function SaidView({ text }: { readonly text: string }): JSX.Element {
  const { words, pastes } = extract(text)
  return (
    <div class="you">
      <p>{pastes.length === 0 ? text : words}</p>
      {pastes.map((paste, at) => (
        <blockquote key={at} class="external" aria-label={`Pasted text ${at + 1}`}>
          <p class="muted">
            <code>$paste{at + 1}</code> Pasted: counts as somebody else's words.
          </p>
          <pre>{printable(paste)}</pre>
        </blockquote>
      ))}
    </div>
  )
}
