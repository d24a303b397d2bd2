/** The cordon, drawn: the server in the middle, everything that it may touch around it, and how much memory it has used. */
import type { JSX } from 'preact'
import type { ServerDetails } from '../../../api/servers.ts'
import { Card, Foreign, Time } from '../parts/basics.tsx'

interface DetailsProps {
  readonly details: ServerDetails
}

export function CordonView({ details }: DetailsProps): JSX.Element {
  const { name, cordon, allowedDomains, readPaths = [], writePaths = [], credentials } = details
  const lent = credentials.map(({ ref, present, sealedFor }) => {
    const seal = sealedFor ? ' (sealed: the server never holds this token)' : ''
    return `${ref}${present ? '' : ' (missing)'}${seal}`
  })
  return (
    <Card title="Behind its cordon">
      <div class="cordon">
        <div class="cordon-in">
          <Side title="Reads" items={readPaths} none="no folder of yours" />
          <Side title="Is lent" items={lent} none="no credential" />
        </div>
        <div class="cordon-server">
          <strong>
            <Foreign text={name} />
          </strong>
          <span class="muted">{cordon === 'bwrap' ? 'in a sandbox (bubblewrap)' : cordon}</span>
        </div>
        <div class="cordon-out">
          <Side title="Reaches" items={allowedDomains} none="no host" />
          <Side title="Changes" items={writePaths} none="no folder of yours" />
        </div>
      </div>
      <Facts details={details} />
    </Card>
  )
}

interface SideProps {
  readonly title: string
  readonly items: readonly string[]
  readonly none: string
}

function Side({ title, items, none }: SideProps): JSX.Element {
  return (
    <section class={items.length === 0 ? 'side-none' : 'side-some'} aria-label={title}>
      <h3>{title}</h3>
      {items.length === 0 ? (
        <p class="muted">{none}</p>
      ) : (
        <ul>
          {items.map((item) => (
            <li key={item}>
              <code>{item}</code>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Facts({ details: { state, limits } }: DetailsProps): JSX.Element {
  return (
    <dl class="facts">
      <div>
        <dt>Memory</dt>
        <dd>
          <Memory bytes={state.memoryBytes} most={limits.memoryBytes.value} />
        </dd>
      </div>
      <div>
        <dt>Restarts</dt>
        <dd>
          {state.restarts} of at most {limits.restarts.value}
        </dd>
      </div>
      {state.startedAt !== undefined && (
        <div>
          <dt>Started</dt>
          <dd>
            <Time iso={state.startedAt} />
          </dd>
        </div>
      )}
    </dl>
  )
}

/** From here on the bar warns. */
const HIGH = 0.85

function Memory({
  bytes,
  most,
}: {
  readonly bytes: number | undefined
  readonly most: number
}): JSX.Element {
  const limit = `at most ${megabytes(most)}`
  if (bytes === undefined) return <span>not running; {limit}</span>
  return (
    <>
      <meter
        aria-label="Memory"
        min={0}
        max={most}
        low={most * HIGH}
        high={most * HIGH}
        optimum={0}
        value={bytes}
      />
      <span>
        {megabytes(bytes)}, {limit}
      </span>
    </>
  )
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`
}
