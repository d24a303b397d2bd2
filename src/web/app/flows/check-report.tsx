/** The result of checking a flow: whether it can run, the findings, and the forecast for the selected node. */
import type { JSX } from 'preact'
import type { FlowCheck, FlowFinding, FlowForecast } from '../../../ports/flow-port.ts'
import { Badge, Foreign, plural } from '../parts/basics.tsx'
import type { Checked } from './use-check.ts'
import { nodeAt } from './flow-shape.ts'

interface ReportProps {
  readonly checked: Checked
  readonly selected: string | undefined
}

export function CheckReport({ checked: { check, shape }, selected }: ReportProps): JSX.Element {
  const { findings, isSound, safety } = check
  // An error that belongs to no node stays in sight: it keeps the whole flow from running.
  const isShown = ({ place, severity }: FlowFinding): boolean => {
    const node = nodeAt(shape, place)
    if (selected === undefined || node === selected) return true
    return node === undefined && severity === 'error'
  }
  const forecast = check.steps.find(({ node }) => node === selected)
  return (
    <>
      <p role="status">
        <Badge
          tone={isSound ? 'connected' : 'error'}
          text={isSound ? 'It can run' : 'It cannot run as it is'}
        />{' '}
        {summaryOf(check)}
      </p>
      {selected !== undefined && (
        <h3>
          <code>{selected}</code>
        </h3>
      )}
      {forecast && <Forecast forecast={forecast} />}
      <ul class="findings">
        {findings.filter(isShown).map((finding, at) => (
          <Finding key={at} finding={finding} />
        ))}
      </ul>
      {selected === undefined && (
        <p class="muted">
          At most {safety.effect}, with what is {safety.level}
          {safety.sinks.length > 0 && (
            <>
              , to <Foreign text={safety.sinks.join(', ')} />
            </>
          )}
          . Select a node to see what is known about it.
        </p>
      )}
    </>
  )
}

/** The questions that will come, before the first step runs. */
function summaryOf({ steps }: FlowCheck): string {
  const asks = steps.filter(({ verdict }) => verdict === 'ask').length
  const refused = steps.filter(({ verdict }) => verdict === 'deny').length
  const questions =
    asks === 0 ? 'It asks you nothing.' : `It asks you about ${plural(asks, 'call')}.`
  return refused === 0 ? questions : `${questions} ${plural(refused, 'call')} would be refused.`
}

function Finding({ finding }: { readonly finding: FlowFinding }): JSX.Element {
  const { severity, place, message, hint } = finding
  return (
    <li class={severity}>
      <p>
        <strong>{severity}</strong> {place !== '' && <code>{place}</code>}{' '}
        <Foreign text={message} />
      </p>
      {hint !== '' && (
        <p class="muted">
          <Foreign text={hint} />
        </p>
      )}
    </li>
  )
}

const VERDICTS = { allow: 'runs unasked', ask: 'asks you', deny: 'is refused' } as const

function Forecast({ forecast }: { readonly forecast: FlowForecast }): JSX.Element {
  const { tool, effect, verdict, reason, isCertain, args } = forecast
  return (
    <>
      <p>
        <code>{tool}</code> ({effect}) {VERDICTS[verdict]}
        {reason !== undefined && (
          <>
            : <Foreign text={reason} />
          </>
        )}
        {!isCertain && ' (on some ways through the flow)'}
      </p>
      {args.length > 0 && (
        <table class="values">
          <thead>
            <tr>
              <th>Argument</th>
              <th>Role</th>
              <th>Written by</th>
              <th>Level</th>
              <th>From</th>
            </tr>
          </thead>
          <tbody>
            {args.map(({ name, role, integrity, level, from }) => (
              <tr key={name}>
                <td>
                  <code>{name}</code>
                </td>
                <td>{role}</td>
                <td>{integrity}</td>
                <td>{level}</td>
                <td>
                  <Foreign text={from.join(', ')} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}
