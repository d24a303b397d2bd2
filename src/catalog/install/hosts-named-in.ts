/** The hosts of addresses that a text of code names. Untrusted text, read in one pass. Pure. */

const ADDRESS =
  /\b(?:https?|wss?):\/\/(?<host>[a-z0-9][a-z0-9.-]{1,252}\.[a-z]{2,24})(?![a-z0-9-])/gi
/** Hosts of documentation and of names that are no addresses: of XML, of schemas, of licences. */
const NO_SERVICE =
  /(?:^|\.)(?:example\.(?:com|org|net)|w3\.org|json-schema\.org|schema\.org|opensource\.org|apache\.org)$/

export function hostsNamedIn(text: string): ReadonlySet<string> {
  const hosts = [...text.matchAll(ADDRESS)].map(({ groups }) =>
    (groups?.['host'] ?? '').toLowerCase(),
  )
  return new Set(hosts.filter((host) => !NO_SERVICE.test(host)))
}
