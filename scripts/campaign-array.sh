#!/bin/sh
# One task of an array job plays one shard of a campaign or of a measurement; `hustings merge` joins the parts.
#
#   sbatch --array=1-8 scripts/campaign-array.sh PARTS simulate first --seeds 0..1000000 --no-record
#   hustings merge PARTS/*.json
#
# Of Slurm it needs SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT alone, so a loop that sets them runs it anywhere:
#
#   for task in 1 2 3; do
#       SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=3 scripts/campaign-array.sh PARTS measure rounds
#   done
#
# Tasks are numbered from 1. The program is $HUSTINGS, or the `hustings` of the path. A part is there only when it is whole.
#SBATCH --job-name=hustings
#SBATCH --output=hustings-%A-%a.log
set -eu
if [ $# -lt 2 ]; then
    echo "usage: $0 PARTS COMMAND [ARGUMENT...]   (with SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT set)" >&2
    exit 2
fi
: "${SLURM_ARRAY_TASK_ID:?is not set: start this as an array job, or set it in a loop}"
: "${SLURM_ARRAY_TASK_COUNT:?is not set: start this as an array job, or set it in a loop}"
parts=$1
shift
mkdir -p "$parts"
part=$parts/part-$SLURM_ARRAY_TASK_ID-of-$SLURM_ARRAY_TASK_COUNT.json
code=0
"${HUSTINGS:-hustings}" "$@" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" >"$part.new" || code=$?
# A campaign in which runs fail is whole too: 4 and 5 are its findings.
case $code in
0 | 4 | 5) mv "$part.new" "$part" ;;
*) rm -f "$part.new" ;;
esac
exit "$code"
