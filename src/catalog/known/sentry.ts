/** Sentry. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, token, writes } from '../known-service.ts'

export const sentry: Service = knownService({
  slug: 'sentry',
  title: 'Sentry',
  about: 'Errors, issues, traces and projects.',
  aliases: ['sentry.io'],
  launch: npm(
    '@sentry/mcp-server',
    '0.39.0',
    'sha512-sJzFkzka+1wkrCk+v/uWvl3lB0Kcu6Mb/jxlnOZyifJKhTpWv1gF6pJEmAGmf19s2f0ARAw6CsDaYuhGN+I4bw==',
  ),
  // Not *.sentry.io: the server's own crash reports go to a host below it.
  domains: ['sentry.io', 'us.sentry.io', 'de.sentry.io'],
  telemetryDomains: ['*.ingest.sentry.io', '*.ingest.us.sentry.io', '*.ingest.de.sentry.io'],
  credentials: [
    token('SENTRY_ACCESS_TOKEN', 'sentry_token', {
      where: 'sentry.io → Settings → Account → API → Auth Tokens → Create',
      url: 'https://sentry.io/settings/account/api/auth-tokens/',
      prefixes: ['sntryu_', 'sntrys_'],
    }),
  ],
  verify: { tool: 'find_organizations', args: {} },
  tools: {
    // Not listed: tools whose effect cannot be undone, or is unknown.
    ...reads(`
      find_organizations find_projects search_events search_issues get_sentry_resource
      search_sentry_tools
    `),
    ...writes('analyze_issue_with_seer'),
  },
  notes: [
    'execute_sentry_tool runs any of its tools by name, so every use of it is asked about.',
    'Uses worker threads: where Cordon can make no control group, run `cordon mcp edit sentry --memory 1g`.',
  ],
})
