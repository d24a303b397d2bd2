/**
 * The view of a signed-in browser: the state of Cordon, and its servers.
 * @import { Output } from '../../api/contract.ts'
 * @import { KernelStatus } from '../../api/kernel.ts'
 * @import { ServerSummary } from '../../api/servers.ts'
 * @import { VaultStatus } from '../../kernel/vault-status.ts'
 * @import { Part } from './elements.js'
 */
import { marksSection } from './marks.js'
import { badge, card, count, el, fact, prose, warnings } from './elements.js'

/** @type {Readonly<Record<VaultStatus['state'], [string, (secrets: number) => string]>>} */
const VAULT_WORDS = {
  absent: ['None', () => 'There is no place for secrets yet. Run `cordon vault init` to make one.'],
  locked: [
    'Locked',
    () => 'Servers that need a secret wait for it. Run `cordon vault unlock` to open it.',
  ],
  unlocked: ['Open', (n) => `Holds ${count(n, 'secret')}. Run \`cordon vault lock\` to close it.`],
}

/** @param {string} damage */
const auditWarning = (damage) =>
  `The audit log takes no records. ${damage}. Run cordon audit verify.`

/** @type {Readonly<Record<ServerSummary['state']['badge'], string>>} */
const SERVER_WORDS = {
  connected: 'Connected',
  idle: 'Idle',
  error: 'Error',
  disabled: 'Disabled',
}

/** @param {KernelStatus} status */
export function statusCard({ version, vault, auditDamage, servers, page }) {
  const [word, hint] = VAULT_WORDS[vault.state]
  return card(
    'Status',
    el(
      'dl',
      'facts',
      fact('Vault', badge(word, vault.state), prose(hint(vault.secrets))),
      fact('Servers', String(servers)),
      fact('Version', version),
      fact('Page', el('code', '', page ?? location.origin)),
    ),
    warnings(
      auditDamage === null ? vault.warnings : [...vault.warnings, auditWarning(auditDamage)],
    ),
  )
}

/** @param {Output<'mcp.list'>} listing @returns {Part[]} */
export function serverCards({ servers, problems, untrusted }) {
  const files = problems.map(({ path, line, message }) =>
    line === undefined ? `${path}: ${message}` : `${path}, line ${line}: ${message}`,
  )
  return [
    card('Servers', servers.length > 0 ? el('ul', 'servers', ...servers.map(serverItem)) : empty()),
    files.length > 0 && card('Files that could not be read', warnings(files)),
    untrusted && card('Not trusted', ...untrustedWords(untrusted)),
  ]
}

function empty() {
  return prose(
    'No servers yet. Run `cordon mcp migrate --from FILE` to bring those of another program.',
  )
}

/** @param {{ folder: string, files: readonly string[] }} untrusted */
function untrustedWords({ folder, files }) {
  return [
    el('p', '', el('code', '', folder), ` has servers that take no part: ${files.join(', ')}`),
    prose('Read its files, then run `cordon mcp trust` in that folder.'),
  ]
}

/** @param {ServerSummary} server */
function serverItem({ server, name, state, description, label, allowedDomains, warnings: texts }) {
  const domains = allowedDomains.map((domain) => el('code', '', domain))
  return el(
    'li',
    'server',
    el('h3', '', name, badge(SERVER_WORDS[state.badge], state.badge)),
    description !== '' && el('p', 'muted', description),
    el(
      'dl',
      'details',
      fact('Label', label),
      fact('Tools', String(state.tools)),
      fact('May reach', ...(domains.length > 0 ? domains : ['no host'])),
    ),
    warnings(state.reason === undefined ? texts : [state.reason, ...texts]),
    state.tools > 0 && marksSection(server),
  )
}
