/** SendGrid. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, token, writes } from '../known-service.ts'

export const sendgrid: Service = knownService({
  slug: 'sendgrid',
  title: 'SendGrid',
  about: 'Mail, contacts, lists and templates.',
  aliases: ['twilio sendgrid'],
  label: 'sensitive',
  launch: npm(
    'sendgrid-mcp',
    '1.0.4',
    'sha512-G99v3jG8/bkbH56l7Jew2I6dKAMt5nDyHc3cs9ugfDhosAOtwKvnwdyGRgKptgk+T/TT7slFV8K/HWBVxuVNWQ==',
  ),
  domains: ['api.sendgrid.com'],
  formats: { content: ['html'], html_content: ['html'], plain_content: ['text'] },
  credentials: [
    token('SENDGRID_API_KEY', 'sendgrid_token', {
      title: 'API key',
      where: 'app.sendgrid.com/settings/api_keys → Create API Key',
      url: 'https://app.sendgrid.com/settings/api_keys',
      prefixes: ['SG.'],
      pattern: '^SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}$',
    }),
  ],
  env: { READ_ONLY: 'true' },
  verify: { tool: 'get_scopes', args: {} },
  tools: {
    // Not listed: tools whose effect cannot be undone, or is unknown.
    ...reads(`
      list_automations get_automation list_single_sends list_email_lists list_segments
      list_custom_fields list_senders get_contact search_contacts search_contacts_by_emails
      list_contacts get_scopes get_global_stats get_stats_by_browser get_stats_by_client_type
      get_stats_by_device_type get_stats_by_country get_stats_by_mailbox_provider get_category_stats
      get_subuser_stats get_stats_overview list_templates get_template get_template_version
    `),
    ...writes(`
      create_email_list update_email_list create_contact create_contact_with_lists
      create_custom_field update_custom_field update_contact update_segment create_template
      update_template create_template_version update_template_version create_html_template
    `),
    send_mail: { semantics: 'write', roles: { content: 'content' } },
  },
  notes: ['It begins in its read-only mode; READ_ONLY in its definition switches that off.'],
})
