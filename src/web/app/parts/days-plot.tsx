/** Calls that ran and calls that were blocked, by day: two bars for each of the last days. A table says the same to a screen reader. */
import type { JSX } from 'preact'
import type { AuditDay } from '../../../api/audit.ts'

const STEP = 20
const BAR = 7
const HEIGHT = 60
/** A log that covers fewer days leaves the left side empty: today is always at the right. */
const SLOTS = 14

export function DaysPlot({ days }: { readonly days: readonly AuditDay[] }): JSX.Element | null {
  const most = Math.max(1, ...days.flatMap(({ ran, blocked }) => [ran, blocked]))
  if (days.every(({ ran, blocked }) => ran + blocked === 0)) return null
  const slots = Math.max(SLOTS, days.length)
  const left = (at: number): number => (slots - days.length + at) * STEP
  const high = (n: number): number => (n === 0 ? 0 : Math.max(2, (n / most) * HEIGHT))
  return (
    <figure class="plot">
      <svg viewBox={`0 0 ${slots * STEP} ${HEIGHT}`} aria-hidden="true">
        {days.map(({ day, ran, blocked }, at) => (
          <g key={day}>
            <title>{`${day}: ${ran} ran, ${blocked} blocked`}</title>
            <rect class="catch" x={left(at)} y={0} width={STEP} height={HEIGHT} />
            <Bar kind="ran" x={left(at) + 2} height={high(ran)} />
            <Bar kind="blocked" x={left(at) + 2 + BAR + 1} height={high(blocked)} />
          </g>
        ))}
      </svg>
      <figcaption>
        <span class="key ran">ran</span> <span class="key blocked">blocked</span>{' '}
        <span class="muted">by day, at most {most}</span>
      </figcaption>
      <table class="visually-hidden">
        <caption>By day</caption>
        <thead>
          <tr>
            <th>Day</th>
            <th>Ran</th>
            <th>Blocked</th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, ran, blocked }) => (
            <tr key={day}>
              <td>{day}</td>
              <td>{ran}</td>
              <td>{blocked}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}

interface BarProps {
  readonly kind: 'ran' | 'blocked'
  readonly x: number
  readonly height: number
}

function Bar({ kind, x, height }: BarProps): JSX.Element {
  return <rect class={kind} x={x} y={HEIGHT - height} width={BAR} height={height} rx={1.5} />
}
