/** Outlook: mail, calendar and contacts of a Microsoft account. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, token, writes } from '../known-service.ts'

const KEY = 'MS365_MCP_OAUTH_TOKEN'
/** Accounts of people and of organisations. */
const AUTHORITY = 'https://login.microsoftonline.com/common/oauth2/v2.0'

export const outlook: Service = knownService({
  slug: 'outlook',
  title: 'Outlook',
  about: 'Mail, calendar and contacts of a Microsoft account.',
  aliases: [
    'outlook.com',
    'hotmail',
    'microsoft 365',
    'office 365',
    'ms365',
    'microsoft outlook',
    '@softeria/ms-365-mcp-server',
  ],
  launch: npm(
    '@softeria/ms-365-mcp-server',
    '0.155.0',
    'sha512-+7wLe+jDgChAXQSLWph0sjKCEfav8JQUlFGjaiaoDxsNRl1k4JSfEuyuNKmucuap3Q9gyw1BV/MjOfTo9kwYiQ==',
    { args: ['--preset', 'outlook'] },
  ),
  domains: ['graph.microsoft.com'],
  formats: { body: ['html'], content: ['html'], comment: ['html'] },
  memoryLimit: '512m',
  credentials: [
    token(KEY, 'outlook_token', {
      title: 'access token',
      where: 'developer.microsoft.com/graph/graph-explorer → Sign in → Access token → Copy',
      url: 'https://developer.microsoft.com/graph/graph-explorer',
    }),
  ],
  oauth: [
    {
      kind: 'device',
      provider: 'microsoft',
      deviceUrl: `${AUTHORITY}/devicecode`,
      tokenUrl: `${AUTHORITY}/token`,
      // Without `offline_access` Microsoft gives no refresh token.
      scopes: [
        'User.Read',
        'Mail.ReadWrite',
        'Mail.Send',
        'MailboxSettings.Read',
        'Calendars.ReadWrite',
        'Contacts.ReadWrite',
        'offline_access',
      ],
      key: KEY,
      identity: { url: 'https://graph.microsoft.com/v1.0/me', field: 'userPrincipalName' },
      register: {
        where:
          'Make one without a secret: entra.microsoft.com → App registrations → New registration, for any account; then Authentication → Allow public client flows → Yes',
        hasSecret: false,
      },
    },
  ],
  verify: { tool: 'list-calendars', args: {} },
  tools: {
    // Not listed: tools that send, answer, delete or replace, and those that give others access.
    ...reads(`
      list-mail-messages list-mail-folders list-mail-child-folders list-mail-folder-messages
      list-mail-folder-messages-delta get-mail-message get-mail-message-mime list-mail-attachments
      list-mail-rules list-focused-inbox-overrides get-mail-tips get-mailbox-settings
      list-outlook-categories list-supported-time-zones list-supported-languages list-calendars
      list-calendar-events list-calendar-events-delta get-calendar-event
      list-specific-calendar-events get-specific-calendar-event get-calendar-view
      get-specific-calendar-view list-calendar-view-delta list-calendar-event-instances get-schedule
      find-meeting-times list-my-calendar-permissions list-outlook-contacts get-outlook-contact
      list-contact-folders list-contact-folder-child-folders list-contact-folder-contacts
    `),
    ...writes(`
      create-mail-folder create-mail-child-folder create-draft-email create-forward-draft
      create-reply-draft create-reply-all-draft copy-mail-message move-mail-message create-calendar
      create-outlook-category create-outlook-contact create-contact-folder
      create-contact-child-folder create-contact-in-folder snooze-calendar-event-reminder
      dismiss-calendar-event-reminder
    `),
  },
})
