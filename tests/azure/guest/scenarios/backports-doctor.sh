# SPDX-License-Identifier: MIT
#
# What check and doctor say of each thing that goes wrong, in the words of the newer kernel's drivers.

. /guest/scenarios/check-doctor.sh
