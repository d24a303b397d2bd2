/** The flows: the list, one flow with its editor, or one run, by the address of the screen. */
import type { JSX } from 'preact'
import type { SavedFlow as Saved } from '../../../ports/flow-port.ts'
import type { ShownSchedule } from '../../../ports/schedule-port.ts'
import { NewFlow, SavedFlow } from '../flows/flow-editor.tsx'
import { UNNAMED } from '../flows/flow-drafts.ts'
import { ScheduleWords } from '../flows/flow-schedules.tsx'
import { RunList } from '../flows/run-list.tsx'
import { RunPage } from '../flows/run-page.tsx'
import { useLive } from '../live.ts'
import { Card, Foreign, Shown, Time } from '../parts/basics.tsx'
import { addressOf, place } from '../place.ts'

export function Flows(): JSX.Element {
  const [which = '', run] = place.value.rest
  if (which === 'runs' && run !== undefined) return <RunPage key={run} id={run} />
  if (which === UNNAMED) return <NewFlow />
  if (which !== '') return <SavedFlow key={which} name={which} />
  return <List />
}

function List(): JSX.Element {
  const flows = useLive('flows.list', {}, ['flows'])
  const schedules = useLive('flows.schedules', {}, ['flows'])
  return (
    <>
      <div class="card-head">
        <h1>Flows</h1>
        <a class="button" href={addressOf('flows', UNNAMED)}>
          + New flow
        </a>
      </div>
      <Shown live={flows} what="flows">
        {({ flows: saved }) =>
          saved.length === 0 ? (
            <Card title="None yet">
              <p>
                A flow is a plan that is written down: tools of servers and models, one after the
                other. It is checked before it runs, and asks where you would be asked.
              </p>
              <p>
                <a href={addressOf('flows', UNNAMED)}>Write the first one</a>, or save a plan of the
                chat.
              </p>
            </Card>
          ) : (
            <ul class="servers">
              {saved.map((flow) => (
                <Item
                  key={flow.name}
                  flow={flow}
                  schedule={schedules.data.value?.schedules.find(({ name }) => name === flow.name)}
                />
              ))}
            </ul>
          )
        }
      </Shown>
      <RunList />
    </>
  )
}

function Item({
  flow: { name, description, nodes, savedAt },
  schedule,
}: {
  readonly flow: Saved
  readonly schedule: ShownSchedule | undefined
}): JSX.Element {
  return (
    <li class="card">
      <div class="card-head">
        <h2>
          <a href={addressOf('flows', name)}>{name}</a>
        </h2>
        <span class="muted">
          saved <Time iso={savedAt} />
        </span>
      </div>
      {description !== '' && (
        <p>
          <Foreign text={description} />
        </p>
      )}
      <p class="muted">
        <Foreign text={nodes.join(' >> ')} />
      </p>
      {schedule && <ScheduleWords schedule={schedule} />}
    </li>
  )
}
