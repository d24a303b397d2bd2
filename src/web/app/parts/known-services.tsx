/** The services of the catalog, to choose one. Those that come with Cordon need no account and no network, and stand first. */
import type { JSX } from 'preact'
import type { Service } from '../../../ports/service-facts.ts'
import { useLive } from '../live.ts'
import { Card, Shown } from './basics.tsx'

interface KnownProps {
  readonly onChoose: (slug: string) => void
}

export function KnownServices({ onChoose }: KnownProps): JSX.Element {
  const live = useLive('catalog.list', {}, [])
  return (
    <Shown live={live} what="the catalog">
      {({ services }) => (
        <>
          <Card title="Ready at once">
            <p class="muted">They come with Cordon and need no account. Begin with your files.</p>
            <Services
              services={services.filter(isShipped).toSorted(filesFirst)}
              onChoose={onChoose}
            />
          </Card>
          <Card title="Known to Cordon">
            <Services services={services.filter((one) => !isShipped(one))} onChoose={onChoose} />
          </Card>
        </>
      )}
    </Shown>
  )
}

function isShipped({ launch }: Service): boolean {
  return launch.kind === 'npm' && launch.isShipped === true
}

/** Files show something at once; what others begin with is empty. */
function filesFirst(a: Service, b: Service): number {
  return Number(b.slug === 'filesystem') - Number(a.slug === 'filesystem')
}

function Services({
  services,
  onChoose,
}: KnownProps & { readonly services: readonly Service[] }): JSX.Element {
  return (
    <ul class="known">
      {services.map(({ slug, title, about }) => (
        <li key={slug}>
          <button type="button" class="quiet" onClick={() => onChoose(slug)}>
            <strong>{title}</strong>
            <span class="muted">{about}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
