#!/bin/sh
# Backs up the database of PGDATABASE to a file of its own, and deletes those older than KEEP_DAYS (14):
#   sh deploy/backup.sh FOLDER
# A file with the ending .dump is complete.
set -eu
umask 077

folder=${1:?Name the folder for the backups: sh deploy/backup.sh FOLDER}
file=$folder/vasp-$(date -u +%Y%m%dT%H%M%SZ).dump
trap 'rm -f "$file.part"' EXIT
pg_dump --format=custom --file="$file.part"
# Reads the table of contents: a dump that cannot be read does not replace an older one.
pg_restore --list "$file.part" >/dev/null
mv "$file.part" "$file"
find "$folder" -maxdepth 1 -name 'vasp-*.dump' -mtime "+${KEEP_DAYS:-14}" -delete
