/** The log of one server as it grows: its standard error, its log messages, what was no protocol message, blocked attempts, and Cordon's own lines. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { LogLine } from '../../../kernel/server-state.ts'
import { useLive } from '../live.ts'
import { Card, Foreign, Shown, Time } from '../parts/basics.tsx'

const MOST_LINES = 300

const SOURCES: Readonly<Record<LogLine['from'], string>> = {
  stderr: 'its standard error',
  stdout: 'no protocol message',
  log: 'its log messages',
  egress: 'its way out',
  cordon: 'Cordon',
}

export function ServerLog({ server }: { readonly server: string }): JSX.Element {
  const live = useLive('mcp.logs', { server }, ['servers', 'call', 'egress'])
  const from = useSignal('')
  const filter = (
    <label class="inline">
      From
      <select
        value={from.value}
        onChange={(event) => {
          from.value = event.currentTarget.value
        }}
      >
        <option value="">everything</option>
        {Object.entries(SOURCES).map(([source, text]) => (
          <option key={source} value={source}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <Card title="Log" aside={filter}>
      <Shown live={live} what="the log">
        {({ lines }) => (
          <Lines lines={lines.filter((line) => from.value === '' || line.from === from.value)} />
        )}
      </Shown>
    </Card>
  )
}

function Lines({ lines }: { readonly lines: readonly LogLine[] }): JSX.Element {
  if (lines.length === 0) return <p class="muted">Nothing was written.</p>
  return (
    <pre class="log" tabIndex={0} aria-label="Lines of the log">
      {lines.slice(-MOST_LINES).map(({ seq, at, from, text }) => (
        <span key={seq} class={`line from-${from}`}>
          <Time iso={at} /> <Foreign text={`${from}: ${text}`} />
          {'\n'}
        </span>
      ))}
    </pre>
  )
}
