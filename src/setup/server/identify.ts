/** Keeps the name that a provider tells for an account, and finds other servers of this service with the same one. */
import type { OwnResult } from '../../kernel/own-call.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import type { Service } from '../../ports/service-facts.ts'
import { accountAt } from '../connection/account-names.ts'
import type { Identity } from '../connection/connection.ts'
import { knownSlug } from '../resolve/account.ts'
import type { SetupDeps } from '../setup-deps.ts'
import { bodyOf } from './judge-answer.ts'

type Deps = Pick<SetupDeps, 'accounts' | 'definitions' | 'redactor'>

/** By the answer to the test call, where the catalog knows which field names the account. */
export async function identifyBy(
  deps: Deps,
  service: Service,
  result: OwnResult,
): Promise<Identity | undefined> {
  const { verify, accountField } = service
  if (!verify || accountField === undefined || result.kind !== 'ok') return undefined
  const account = accountAt(bodyOf(result.value), accountField)
  return account === undefined ? undefined : await identify(deps, service, account)
}

export async function identify(
  { accounts, definitions, redactor }: Deps,
  service: Service,
  told: string | undefined,
): Promise<Identity | undefined> {
  const account = told === undefined ? undefined : redactor.redact(told)
  await accounts.put(service.slug, account)
  if (account === undefined) return undefined
  const { servers } = await definitions.load()
  const others = servers.map(({ definition }) => definition).filter(isOfSameService(service))
  const sharedWith = await accounts.sharing(
    account,
    others.map(({ id }) => id),
  )
  return { account, sharedWith }
}

function isOfSameService(service: Service): (other: ServerDefinition) => boolean {
  const { slug, launch } = service
  return ({ id, url, source = { kind: 'manual' } }) => {
    const isSamePlace = launch.kind === 'remote' && url === launch.url
    return id !== slug && (isSamePlace || knownSlug({ slug: id, source }) === knownSlug(service))
  }
}
