/** Installed packages in a chat: `packages` shows them, `yes, prune packages` removes those that no server uses. */
import type { Api } from '../api/contract.ts'
import type { PackageView } from '../api/packages.ts'
import { isUnused } from '../text/is-unused.ts'

export type PackagesApi = Api<'packages.list' | 'packages.prune'>

export async function showPackages(api: PackagesApi): Promise<string> {
  const { packages } = await api.call('packages.list', {})
  if (packages.length === 0) return 'No package is installed.'
  const lines = packages.map((one) => `${one.name}: ${megabytes([one])}, ${usersOf(one)}`)
  const unused = packages.filter(isUnused)
  const offer = `${megabytes(unused)} are in no use. To remove them, type: yes, prune packages`
  return [...lines, ...(unused.length > 0 ? [offer] : [])].join('\n')
}

export async function prunePackages(api: PackagesApi): Promise<string> {
  const { packages } = await api.call('packages.list', {})
  const names = packages.filter(isUnused).map(({ name }) => name)
  const { removed } = await api.call('packages.prune', { names })
  return removed.length === 0 ? 'Every package is in use.' : `Removed: ${removed.join(', ')}.`
}

function usersOf({ usedBy, kept }: PackageView): string {
  return usedBy.length > 0 ? `used by ${usedBy.join(', ')}` : (kept ?? 'used by no server')
}

function megabytes(packages: readonly PackageView[]): string {
  const bytes = packages.reduce((sum, one) => sum + one.bytes, 0)
  return `${(bytes / 2 ** 20).toFixed(1)} MB`
}
