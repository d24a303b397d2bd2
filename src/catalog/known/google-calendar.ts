/** Google Calendar. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { gives, google, knownService, reads, remote, token, writes } from '../known-service.ts'

export const googleCalendar: Service = knownService({
  slug: 'google-calendar',
  title: 'Google Calendar',
  about: 'Calendars and events.',
  aliases: ['calendar.google.com', 'gcal', 'gcalendar', '@cocal/google-calendar-mcp'],
  label: 'sensitive',
  launch: remote('https://calendarmcp.googleapis.com/mcp/v1'),
  domains: ['calendarmcp.googleapis.com'],
  formats: { description: ['html'] },
  credentials: [
    token('bearer', 'google_calendar_token', {
      title: 'access token',
      where: 'console.cloud.google.com → APIs & Services → Credentials',
      url: 'https://console.cloud.google.com/apis/credentials',
      prefixes: ['ya29.'],
    }),
  ],
  oauth: [
    google(
      'bearer',
      { url: 'https://www.googleapis.com/calendar/v3/calendars/primary', field: 'id' },
      'calendar',
    ),
  ],
  tools: {
    // Not listed: deleting an event cannot be undone, and tells everybody who was invited.
    ...reads('list_calendars', 'suggest_time'),
    // Not `organizer`, `attendees` or a calendar's id, which is an address: others choose those.
    ...gives(['events[*].id', 'nextPageToken'], 'list_events search_events'),
    ...gives(['id'], 'get_event'),
    ...writes('respond_to_event'),
    create_event: { semantics: 'write', roles: { timeZone: 'content' }, fields: ['id'] },
    update_event: { semantics: 'write', roles: { timeZone: 'content' }, fields: ['id'] },
  },
  notes: [
    "Google's own remote server, in preview. The npm packages want a file of client secrets inside their sandbox.",
    'Signing in needs an OAuth client of your own from the Google Cloud console.',
  ],
})
