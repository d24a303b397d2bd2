/** Supabase. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, token } from '../known-service.ts'

export const supabase: Service = knownService({
  slug: 'supabase',
  title: 'Supabase',
  about: 'Projects, databases, logs and edge functions.',
  aliases: ['supabase.com'],
  label: 'sensitive',
  // Without "docs": the server would have to fetch the tools of that group before it can list them.
  launch: npm(
    '@supabase/mcp-server-supabase',
    '0.13.0',
    'sha512-TUzlt0x9eADZgUOz/5wWk95i5GVf1QSnIwYX0jmasNNmoqPxEkAgO/kg8aAQTqmYZx/OPlVlaX3Er5v/le1z2g==',
    { args: ['--features=account,database,debugging,development,functions,branching'] },
  ),
  domains: ['api.supabase.com'],
  credentials: [
    token('SUPABASE_ACCESS_TOKEN', 'supabase_token', {
      title: 'access token',
      where: 'supabase.com/dashboard/account/tokens → Generate new token',
      url: 'https://supabase.com/dashboard/account/tokens',
      prefixes: ['sbp_'],
    }),
  ],
  verify: { tool: 'list_organizations', args: {} },
  tools: {
    // Not listed: tools that cannot be undone, cost money, show a key, or stop a project.
    ...reads(`
      list_organizations get_organization list_projects get_project get_cost list_tables
      list_extensions list_migrations query_logs get_advisors get_project_url
      generate_typescript_types list_edge_functions get_edge_function list_branches
    `),
  },
  notes: ['Add --read-only to args of its definition to keep it from changing anything.'],
})
