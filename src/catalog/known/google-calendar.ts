/** Google Calendar. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import { google, knownService, remote, token } from '../known-service.ts'

export const googleCalendar: Service = knownService({
  slug: 'google-calendar',
  title: 'Google Calendar',
  about: 'Calendars and events.',
  aliases: ['calendar.google.com', 'gcal', 'gcalendar', '@cocal/google-calendar-mcp'],
  label: 'sensitive',
  launch: remote('https://calendarmcp.googleapis.com/mcp/v1'),
  domains: ['calendarmcp.googleapis.com'],
  credentials: [
    token('bearer', 'google_calendar_token', {
      title: 'access token',
      where: 'console.cloud.google.com → APIs & Services → Credentials',
      url: 'https://console.cloud.google.com/apis/credentials',
      prefixes: ['ya29.'],
    }),
  ],
  oauth: [google('bearer', 'calendar')],
  notes: [
    "Google's own remote server, in preview. The npm packages want a file of client secrets inside their sandbox.",
    'Signing in needs an OAuth client of your own from the Google Cloud console.',
  ],
})
