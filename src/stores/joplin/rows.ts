/** Items of Joplin's Data API, with the fields that Lectern requests. Times are ms since the epoch. */

export interface FolderRow {
  readonly id: string;
  readonly parent_id: string;
  readonly title: string;
  readonly user_created_time: number;
}

export const FOLDER_FIELDS = 'id,parent_id,title,user_created_time';

export interface NoteRow {
  readonly id: string;
  readonly parent_id: string;
  readonly title: string;
  readonly updated_time: number;
  readonly user_updated_time: number;
  readonly user_created_time: number;
  readonly is_todo: number;
  readonly todo_due: number;
  readonly todo_completed: number;
  readonly source_url: string;
  readonly author: string;
  /** Some answers have these as text. */
  readonly latitude: number | string;
  readonly longitude: number | string;
  readonly altitude: number | string;
  readonly encryption_applied: number;
  readonly is_conflict: number;
  readonly deleted_time: number;
}

export const NOTE_FIELDS =
  'id,parent_id,title,updated_time,user_updated_time,user_created_time,is_todo,todo_due,todo_completed,source_url,author,latitude,longitude,altitude,encryption_applied,is_conflict,deleted_time';

export interface ResourceRow {
  readonly id: string;
  readonly title: string;
  readonly file_extension: string;
  readonly size: number;
  readonly updated_time: number;
  readonly blob_updated_time: number;
  readonly user_created_time: number;
}

export const RESOURCE_FIELDS =
  'id,title,file_extension,size,updated_time,blob_updated_time,user_created_time';

export interface TagRow {
  readonly id: string;
  readonly title: string;
}

/** A note in the mirror, without its text. */
export interface KnownNote {
  readonly row: NoteRow;
  /** Length of the text, bytes of UTF-8. */
  readonly size: number;
}

/** An id of Joplin: 32 hexadecimal digits. */
export const JOPLIN_ID = /^[0-9a-f]{32}$/;
