/** Resend. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, token, writes } from '../known-service.ts'

export const resend: Service = knownService({
  slug: 'resend',
  title: 'Resend',
  about: 'Send mail, and manage domains, contacts and broadcasts.',
  aliases: ['resend.com'],
  label: 'sensitive',
  launch: npm(
    'resend-mcp',
    '2.22.0',
    'sha512-HSS4nO8APf417mgpyl+R+69Fw1go90/eonPBkkBoBNeSzptCOqA+TfEJybZjfdvCq2FPcx63hVRlFPJ6q95kIQ==',
  ),
  domains: ['api.resend.com'],
  formats: {
    html: ['html'],
    content: ['html'],
    text: ['text'],
    'create-contact-import.content': ['csv'],
  },
  credentials: [
    token('RESEND_API_KEY', 'resend_token', {
      title: 'API key',
      where: 'resend.com/api-keys → Create API key',
      url: 'https://resend.com/api-keys',
      prefixes: ['re_'],
      pattern: '^re_[A-Za-z0-9]{6,}_[A-Za-z0-9]{16,}$',
    }),
  ],
  verify: { tool: 'list-domains', args: {} },
  tools: {
    // Not listed: tools that cannot be undone, reach many people at once, or show a secret.
    ...reads(`
      get-tiptap-json-content list-api-keys get-automation get-automation-runs list-broadcasts
      get-broadcast list-broadcast-clicked-links list-broadcast-recipients get-contact-import
      list-contact-imports list-contact-properties get-contact-property list-contacts get-contact
      list-contact-segments list-contact-topics list-domains get-domain get-domain-claim list-emails
      get-email list-received-emails get-received-email list-received-email-attachments
      get-received-email-attachment get-email-metrics list-sent-email-attachments
      get-sent-email-attachment list-logs get-log list-oauth-grants list-segments get-segment
      list-suppressions get-suppression list-templates get-template list-topics get-topic
      list-webhooks list-webhook-events get-webhook-event list-webhook-event-attempts
    `),
    ...writes(`
      connect-to-editor disconnect-from-editor create-automation duplicate-automation
      create-broadcast duplicate-broadcast compose-broadcast update-broadcast
      create-contact-property update-contact-property create-contact update-contact
      add-contact-to-segment update-contact-topics create-domain verify-domain send-email
      update-email create-segment update-segment add-suppression create-template compose-template
      update-template duplicate-template create-topic update-topic
    `),
  },
  notes: [
    'A key that may only send cannot list domains, and will look wrong to the check after connecting.',
  ],
})
