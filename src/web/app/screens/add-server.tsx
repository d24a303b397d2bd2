/**
 * Connecting a server: a URL, a pasted line or a name; or a search of the registries, once one of them is selected. Next is
 * possible when the field has content or a result is selected, and then the connection asks what it needs.
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { FoundService, RegistryPage } from '../../../ports/catalog-port.ts'
import type { Service } from '../../../ports/service-facts.ts'
import type { ConnectionView } from '../../../ports/setup-port.ts'
import { Badge, Foreign, Prose } from '../parts/basics.tsx'
import { ConnectPanel } from '../parts/connect-panel.tsx'
import { KnownServices } from '../parts/known-services.tsx'
import { Loading } from '../parts/loading.tsx'
import { addressOf, go } from '../place.ts'
import { ask, Refused } from '../ask.ts'
import { attempt, tellDone } from '../toasts.ts'

const DEBOUNCE_MS = 300
const MOST_SHOWN = 100
const SLOW_MS = 3000
const REGISTRIES = {
  '': 'Select...',
  official: 'Official',
  smithery: 'Smithery',
  both: 'Both',
} as const
type Registry = keyof typeof REGISTRIES

export function AddServer(): JSX.Element {
  const url = useSignal('')
  const chosen = useSignal<string | undefined>(undefined)
  const view = useSignal<ConnectionView | undefined>(undefined)
  const started = useSignal('')
  const name = url.value.trim() === '' ? chosen.value : url.value.trim()
  const start = (wanted: string): void =>
    void attempt(async () => {
      started.value = wanted
      view.value = await ask('connect.start', { name: wanted })
    })
  if (view.value)
    return (
      <>
        <Title />
        <ConnectPanel
          key={view.value.connection}
          first={view.value}
          name={started.value}
          onEnd={({ phase, service, title }) => {
            if (phase !== 'connected') return
            tellDone(`${title} is connected.`)
            go('servers', service)
          }}
        />
        <p>
          <button type="button" class="quiet" onClick={() => (view.value = undefined)}>
            Connect another one
          </button>
        </p>
      </>
    )
  return (
    <>
      <Title />
      <form
        class="card add"
        onSubmit={(event) => {
          event.preventDefault()
          if (name !== undefined) start(name)
        }}
      >
        <label>
          URL:
          <input
            type="text"
            autocomplete="off"
            spellcheck={false}
            placeholder="https://…, npx -y some-server, or a name"
            value={url.value}
            onInput={(event) => {
              url.value = event.currentTarget.value
            }}
          />
        </label>
        <p class="or">-- or search registry --</p>
        <RegistrySearch chosen={chosen.value} onChoose={(slug) => (chosen.value = slug)} />
        <p class="answers end">
          <a class="button quiet" href={addressOf('servers')}>
            Cancel
          </a>
          <button type="submit" disabled={name === undefined}>
            Next
          </button>
        </p>
      </form>
      <KnownServices onChoose={start} />
    </>
  )
}

function Title(): JSX.Element {
  return (
    <h1>
      <a class="back" href={addressOf('settings')} aria-label="Back to Settings">
        &lt;
      </a>{' '}
      Add MCP
    </h1>
  )
}

interface SearchProps {
  readonly chosen: string | undefined
  readonly onChoose: (slug: string) => void
}

function RegistrySearch({ chosen, onChoose }: SearchProps): JSX.Element {
  const registry = useSignal<Registry>('')
  const words = useSignal('')
  const tries = useSignal(0)
  const found = useSignal<RegistryPage | 'searching' | Refused | undefined>(undefined)
  useEffect(() => {
    const query = words.value.trim()
    found.value = undefined
    const ending = new AbortController()
    const look = async (): Promise<void> => {
      if (registry.value === '' || query === '') return
      found.value = 'searching'
      const page = await search(query, registry.value, ending.signal)
      if (!ending.signal.aborted) found.value = page
    }
    const timer = setTimeout(() => void look(), DEBOUNCE_MS)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [words.value, registry.value, tries.value])
  return (
    <>
      <div class="filters">
        <label>
          Registry:
          <select
            value={registry.value}
            onChange={(event) => {
              registry.value = event.currentTarget.value as Registry
            }}
          >
            {Object.entries(REGISTRIES).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <label>
          Search:
          <input
            type="search"
            disabled={registry.value === ''}
            aria-describedby="registry-hint"
            value={words.value}
            onInput={(event) => {
              words.value = event.currentTarget.value
            }}
          />
        </label>
        {registry.value === '' && (
          <span id="registry-hint" class="muted">
            (select registry first)
          </span>
        )}
      </div>
      <Results
        found={found.value}
        chosen={chosen}
        onChoose={onChoose}
        onRetry={() => (tries.value += 1)}
      />
    </>
  )
}

async function search(
  query: string,
  registry: Registry,
  signal: AbortSignal,
): Promise<RegistryPage | Refused> {
  const isOne = registry === 'official' || registry === 'smithery'
  try {
    return await ask('registry.search', { query, ...(isOne && { source: registry }) }, signal)
  } catch (error) {
    if (error instanceof Refused) return error
    if (signal.aborted) return { found: [], notices: [] }
    throw error
  }
}

/** A registry elsewhere may take its time; whoever waits for it can do something else meanwhile. */
function Searching(): JSX.Element {
  const isSlow = useSignal(false)
  useEffect(() => {
    const timer = setTimeout(() => (isSlow.value = true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status">
      <Loading what="the registry" />
      {isSlow.value && (
        <p class="muted">
          The registry is slow to answer. Wait, search with other words, or type a URL above.
        </p>
      )}
    </div>
  )
}

interface ResultsProps extends SearchProps {
  readonly found: RegistryPage | 'searching' | Refused | undefined
  readonly onRetry: () => void
}

function Results({ found, chosen, onChoose, onRetry }: ResultsProps): JSX.Element | null {
  if (found === undefined) return null
  if (found === 'searching') return <Searching />
  if (found instanceof Refused)
    return (
      <div class="failure" role="alert">
        <Prose text={`${found.message}. ${found.hint}.`} />
        <button type="button" onClick={onRetry}>
          Search again
        </button>
      </div>
    )
  return (
    <div role="radiogroup" aria-label="Results" class="results">
      {found.notices.map((text) => (
        <p key={text} class="muted" role={found.found.length === 0 ? 'alert' : 'note'}>
          {text}
        </p>
      ))}
      {found.found.length === 0 &&
        (found.notices.length === 0 ? (
          <p class="muted">No server is called so.</p>
        ) : (
          <button type="button" class="quiet" onClick={onRetry}>
            Search again
          </button>
        ))}
      {found.found.slice(0, MOST_SHOWN).map((one) => (
        <Result
          key={wantedName(one.service)}
          one={one}
          isChosen={wantedName(one.service) === chosen}
          onChoose={onChoose}
        />
      ))}
      {found.found.length > MOST_SHOWN && (
        <p class="muted">And {found.found.length - MOST_SHOWN} more: search with more words.</p>
      )}
    </div>
  )
}

/** A server of a registry is meant by its name there: the short name alone is looked for in the catalog only. */
function wantedName({ slug, source }: Service): string {
  if (source.kind === 'official') return `registry:${source.name}`
  return source.kind === 'smithery' ? `registry:${source.qualifiedName}` : slug
}

function Result({
  one: { service, badge },
  isChosen,
  onChoose,
}: {
  readonly one: FoundService
  readonly isChosen: boolean
  readonly onChoose: (slug: string) => void
}): JSX.Element {
  return (
    <label class="result">
      <input
        type="radio"
        name="result"
        value={wantedName(service)}
        checked={isChosen}
        onChange={() => onChoose(wantedName(service))}
      />
      <span>
        {isChosen && <span aria-hidden="true">&gt; </span>}
        <Foreign text={service.title} /> <Badge tone={badge.toLowerCase()} text={`[${badge}]`} />
        <span class="muted">
          <Foreign text={service.about} />
        </span>
      </span>
    </label>
  )
}
