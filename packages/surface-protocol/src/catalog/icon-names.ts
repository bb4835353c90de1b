/** The available icon names. */
export const iconNames = (
  'accountCircle add arrowBack arrowForward attachFile calendarToday call camera check close ' +
  'delete download edit event error favorite favoriteOff folder help home info locationOn lock ' +
  'lockOpen mail menu moreVert moreHoriz notificationsOff notifications payment person phone ' +
  'photo print refresh search send settings share shoppingCart star starHalf starOff upload ' +
  'visibility visibilityOff warning'
).split(' ')
