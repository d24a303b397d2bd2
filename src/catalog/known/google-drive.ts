/** Google Drive. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { google, knownService, npm, reads, token, writes } from '../known-service.ts'

export const googleDrive: Service = knownService({
  slug: 'google-drive',
  title: 'Google Drive',
  about: 'Files, documents, sheets and slides.',
  aliases: [
    'drive.google.com',
    'gdrive',
    'google docs',
    'google sheets',
    '@modelcontextprotocol/server-gdrive',
  ],
  label: 'sensitive',
  launch: npm(
    '@piotr-agier/google-drive-mcp',
    '2.10.0',
    'sha512-qpKueaQmloiZu/5+0vxKNwuhgRyorog+iP3HT283okEQ3m2a2PVTKv/vY8Ru7q3XY7x4/iv2G1giuJuWFTbs5g==',
  ),
  domains: [
    'www.googleapis.com',
    'docs.googleapis.com',
    'sheets.googleapis.com',
    'slides.googleapis.com',
  ],
  formats: { html: ['html'], values: ['csv'], data: ['csv'], emailMessage: ['text'] },
  credentials: [
    token('GOOGLE_DRIVE_MCP_ACCESS_TOKEN', 'google_drive_token', {
      title: 'access token',
      where: 'console.cloud.google.com → APIs & Services → Credentials',
      url: 'https://console.cloud.google.com/apis/credentials',
      prefixes: ['ya29.'],
    }),
  ],
  oauth: [
    google(
      'GOOGLE_DRIVE_MCP_ACCESS_TOKEN',
      {
        url: 'https://www.googleapis.com/drive/v3/about?fields=user(emailAddress)',
        field: 'user.emailAddress',
      },
      'drive',
      'documents',
      'spreadsheets',
      'presentations',
    ),
  ],
  verify: { tool: 'listFolder', args: {} },
  tools: {
    // Not listed: tools whose effect cannot be undone, or is unknown.
    ...reads(`
      search readTextFile listFolder listSharedDrives listPermissions getRevisions authGetStatus
      authListScopes authTestFileAccess readGoogleDoc readGoogleDocPaginated listDocumentTabs
      listComments getComment getGoogleDocContent getGoogleDocContentPaginated listGoogleDocs
      getDocumentInfo readSmartChips getGoogleSheetContent getSpreadsheetInfo listSheets
      listDimensionGroups listGoogleSheets getGoogleSlidesContent getGoogleSlidesSpeakerNotes
      exportSlideThumbnail getSlideElementInfo listCalendars getCalendarEvents getCalendarEvent
    `),
    ...writes(`
      createTextFile createFolder renameItem moveItem copyFile uploadFile addPermission shareFile
      convertPdfToGoogleDoc createShortcut insertText applyTextStyle applyParagraphStyle
      formatGoogleDocText formatGoogleDocParagraph createParagraphBullets addComment replyToComment
      insertTable insertImageFromUrl addDocumentTab renameDocumentTab insertSmartChip createFootnote
      createGoogleSheet formatGoogleSheetCells formatGoogleSheetText formatGoogleSheetNumbers
      setGoogleSheetBorders addGoogleSheetConditionalFormat addSpreadsheetSheet addSheet renameSheet
      addDataValidation addNamedRange addDimensionGroup updateDimensionGroup setColumnWidth
      setRowHeight autoResizeColumns autoResizeRows hideSheetDimension showSheetDimension
      createGoogleSlides formatGoogleSlidesText formatGoogleSlidesParagraph styleGoogleSlidesShape
      setGoogleSlidesBackground createGoogleSlidesTextBox createGoogleSlidesShape duplicateSlide
      reorderSlides insertSlidesImageFromUrl moveSlideElement
    `),
    createGoogleDoc: { semantics: 'write', roles: { name: 'content' } },
    createDocFromHTML: { semantics: 'write', roles: { name: 'content' } },
    appendSpreadsheetRows: { semantics: 'write', roles: { values: 'content' } },
    createCalendarEvent: { semantics: 'write', roles: { start: 'content', end: 'content' } },
    updateCalendarEvent: { semantics: 'write', roles: { start: 'content', end: 'content' } },
  },
  notes: [
    'Signing in needs an OAuth client of your own from the Google Cloud console.',
    'Needs 282 MB on disk.',
  ],
})
