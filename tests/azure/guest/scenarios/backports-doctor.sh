# SPDX-License-Identifier: MIT
#
# Runs check-doctor with the drivers of a newer kernel, whose log messages differ.

. /guest/scenarios/check-doctor.sh
