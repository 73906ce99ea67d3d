// SPDX-License-Identifier: MIT
//
// A stub of libmana. As in rdma-core, its constructor registers the provider with a function whose
// name and symbol version contain the number of the interface between libibverbs and its providers.

void* REGISTER_DRIVER(void);

void* manadv_set_context_attr(void);
void* manadv_init_obj(void);

__attribute__((constructor)) static void load(void) {
  REGISTER_DRIVER();
}

void* manadv_set_context_attr(void) {
  return 0;
}

#ifndef WITHOUT_INIT_OBJ
void* manadv_init_obj(void) {
  return 0;
}
#endif
